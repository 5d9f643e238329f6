package approval

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

// Iterations of PBKDF2-HMAC-SHA-256 for a new approver, as OWASP's password
// storage guidance asks (600,000).
const Iterations = 600_000

// MinPassphrase is the shortest passphrase taken, in bytes.
const MinPassphrase = 8

// Of the passphrases tried for one approver, MaxTries may be wrong within any
// TryWindow; beyond, none is looked at for the rest of it. The count belongs to the
// approver, not to a process, and the lock ends by itself, as OWASP's
// authentication guidance asks (account lockout).
const (
	MaxTries  = 5
	TryWindow = 15 * time.Minute
)

// WrongTry is what a wrong passphrase uses up of that limit.
func WrongTry(approver string) authz.Take {
	return authz.Take{
		Counter: fmt.Sprintf("passphrases approver=%q", approver),
		Window:  int64(TryWindow), Amount: "1", Max: strconv.Itoa(MaxTries),
	}
}

// Approver is a person who may answer tickets. The passphrase is not kept,
// only what can check it: the agent, which may run under the same account,
// must not be able to read it from the state directory.
type Approver struct {
	Name       string
	Salt       []byte
	Iterations int
	Key        []byte
}

// ErrPassphrase says that the passphrase is not the approver's.
var ErrPassphrase = errors.New("the passphrase does not match")

// NewApprover derives an approver from a passphrase. The number of iterations
// is a parameter for tests; everyone else passes Iterations.
func NewApprover(name, passphrase string, iterations int) (Approver, error) {
	if len(passphrase) < MinPassphrase {
		return Approver{}, fmt.Errorf("a passphrase has at least %d characters", MinPassphrase)
	}
	if iterations <= 0 {
		return Approver{}, fmt.Errorf("%d iterations keep no passphrase", iterations)
	}
	a := Approver{Name: name, Salt: make([]byte, 16), Iterations: iterations}
	rand.Read(a.Salt)
	var err error
	if a.Key, err = pbkdf2.Key(sha256.New, passphrase, a.Salt, a.Iterations, sha256.Size); err != nil {
		return Approver{}, fmt.Errorf("deriving the key of approver %s: %w", name, err)
	}
	return a, nil
}

// Check returns nil if the passphrase is the approver's. The zero Approver
// accepts none.
func (a Approver) Check(passphrase string) error {
	if len(a.Key) != sha256.Size || a.Iterations <= 0 {
		return ErrPassphrase
	}
	key, err := pbkdf2.Key(sha256.New, passphrase, a.Salt, a.Iterations, sha256.Size)
	if err != nil || subtle.ConstantTimeCompare(key, a.Key) != 1 {
		return ErrPassphrase
	}
	return nil
}
