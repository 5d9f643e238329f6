package doors

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Offer makes a server offer exactly these tools from now on.
type Offer struct {
	Server string
	Tools  []toolcall.Value // definitions
}

// Listed checks that the last call was a listing, and that its answer names
// these tools in some order and no others.
type Listed struct{ Tools []string }

// Forwarded checks that the server got the message of the last call byte for
// byte.
type Forwarded struct{}

// Restart ends every process of the gate; the next call meets a new one on the
// same state.
type Restart struct{}

// Exchange puts another directory in the place of one, under the same path.
type Exchange struct{ Dir string } // begins with ${workspace}

// LoseStore takes the state directory away.
type LoseStore struct{}

// Word implements cases.Act.
func (Offer) Word() string { return "other tools" }

// Word implements cases.Act.
func (Listed) Word() string { return "the listing" }

// Word implements cases.Act.
func (Forwarded) Word() string { return "the forwarded message" }

// Word implements cases.Act.
func (Restart) Word() string { return "a second process" }

// Word implements cases.Act.
func (Exchange) Word() string { return "another directory" }

// Word implements cases.Act.
func (LoseStore) Word() string { return "a lost store" }

// Unmet is the error of a check that did not hold: the gate, not the door, is
// at fault.
type Unmet struct{ Why string }

func (e Unmet) Error() string { return e.Why }

// do exchanges the directory.
func (e Exchange) do(p constraint.Places) error {
	dir := filepath.FromSlash(strings.ReplaceAll(e.Dir, "${workspace}", p.Workspace))
	if err := os.Rename(dir, dir+".before"); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o700)
}
