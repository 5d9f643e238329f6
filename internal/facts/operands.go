package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/constraint"
)

// maxScript is how many bytes a file may have that is about to be run. What a
// longer one says is not known.
const maxScript = 64 << 20

// fingerprint notes what the files say that are about to be run.
func (p *placer) fingerprint(e *constraint.ShellEffect) error {
	hash := sha256.New()
	for _, f := range e.Files {
		if f.Special {
			e.Sure = false
			continue
		}
		content, err := contentDigest(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			content = "not there"
		case errors.Is(err, fs.ErrPermission), errors.Is(err, errBeyond):
			e.Sure = false
		case err != nil:
			return fmt.Errorf("reading a file that is about to be run: %w", err)
		}
		fmt.Fprintf(hash, "%q %s\n", f.Path, content)
	}
	e.Bytes = hex.EncodeToString(hash.Sum(nil))
	return nil
}

func contentDigest(file string) (string, error) {
	info, err := os.Stat(filepath.FromSlash(file))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errBeyond
	}
	f, err := os.Open(filepath.FromSlash(file))
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(f, maxScript+1))
	if err == nil && n > maxScript {
		err = errBeyond
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Operands names what the commands of a call are about on this machine, in one
// digest: the files and hosts of every effect, and what the files say that are
// about to be run. Two calls that differ in it are two acts. It is "" where
// nothing was asked about a command.
func Operands(a constraint.Answers) (string, error) {
	if len(a.Shell) == 0 {
		return "", nil
	}
	type operand struct {
		Kind  string
		Files []string
		Hosts []string
		Bytes string
	}
	all := map[string][]operand{}
	for key, s := range a.Shell {
		all[key] = []operand{}
		for _, e := range s.Effects {
			o := operand{Kind: e.Kind.String(), Hosts: e.Hosts, Bytes: e.Bytes}
			files := e.Files
			if e.Tree {
				files = e.Roots
			}
			for _, f := range files {
				o.Files = append(o.Files, f.Path)
			}
			all[key] = append(all[key], o)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("naming the operands of a command: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
