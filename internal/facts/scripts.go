package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/constraint"
)

// MaxBody is how many bytes of the scripts of a command line are read for those
// who look at them.
const MaxBody = 64 << 10

// Script is a file that a command is about to run, as text.
type Script struct {
	Path   string
	Digest string // of the whole file: "sha256:..."
	Body   string
	Long   bool // Body is only the beginning of it
}

// Scripts returns what a command line is about to run beside installed programs:
// files that it names as a program, or gives to an interpreter. What is no text,
// or not there, is left out. It ends with the first one that does not fit into
// MaxBody with those before it.
func Scripts(s constraint.Shell) (all []Script, err error) {
	seen, room := map[string]bool{}, MaxBody
	for _, e := range s.Effects {
		if e.Bytes == "" || e.Program.File != "" {
			continue
		}
		for _, f := range e.Files {
			if f.Special || seen[f.Path] {
				continue
			}
			seen[f.Path] = true
			script, text, err := readScript(f.Path, room)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, errBeyond):
				continue
			case err != nil:
				return nil, fmt.Errorf("reading a script that is about to be run: %w", err)
			case !text:
				continue
			}
			all, room = append(all, script), room-len(script.Body)
			if script.Long {
				return all, nil
			}
		}
	}
	return all, nil
}

// readScript reads a file once, so that the digest is that of the body.
func readScript(path string, room int) (s Script, text bool, err error) {
	info, err := os.Stat(filepath.FromSlash(path))
	if err == nil && !info.Mode().IsRegular() {
		err = errBeyond
	}
	if err != nil {
		return s, false, err
	}
	f, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		return s, false, err
	}
	defer f.Close()
	hash := sha256.New()
	whole := io.TeeReader(io.LimitReader(f, maxScript+1), hash)
	body, err := io.ReadAll(io.LimitReader(whole, int64(room)+1))
	if err != nil {
		return s, false, err
	}
	rest, err := io.Copy(io.Discard, whole)
	if err == nil && int64(len(body))+rest > maxScript {
		err = errBeyond
	}
	s = Script{
		Path: path, Digest: "sha256:" + hex.EncodeToString(hash.Sum(nil)),
		Body: string(body[:min(len(body), room)]), Long: len(body) > room,
	}
	return s, bytes.IndexByte(body, 0) < 0, err
}
