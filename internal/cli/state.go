package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/store/sqlite"
)

// state is an opened state directory.
type state struct {
	dir   string
	store *sqlite.Store
	key   []byte
}

func (s *state) Close() error { return s.store.Close() }

// stateDir returns the state directory: --state, LICET_STATE, or the user's own
// folder for program state.
func (a *app) stateDir() (string, error) {
	for _, dir := range []string{a.state, a.env["LICET_STATE"]} {
		if dir != "" {
			return filepath.Abs(dir)
		}
	}
	if dir := a.env["XDG_STATE_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "licet"), nil
	}
	home, err := a.home()
	if err != nil {
		return "", fmt.Errorf("no state directory: %w; name one with --state", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "licet"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "licet"), nil
	default:
		return filepath.Join(home, ".local", "state", "licet"), nil
	}
}

// home returns the user's home directory as the environment names it.
func (a *app) home() (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := a.env[name]; filepath.IsAbs(home) {
		return home, nil
	}
	return "", fmt.Errorf("%s is not set to an absolute path", name)
}

// openState opens the state directory, and makes it where there is none.
func (a *app) openState(ctx context.Context) (*state, error) {
	dir, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return nil, fmt.Errorf("opening state directory %s: %w", dir, err)
	}
	s := &state{dir: dir, store: store}
	head, err := store.Head(ctx)
	if err == nil {
		s.key, err = stateKey(filepath.Join(dir, "key"), head.Next == 0)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return s, nil
}

// outOfReach refuses a state directory where agents work, or that a contract
// lets them write.
func (s *state) outOfReach(p constraint.Places, c *contract.Contract) error {
	for _, name := range []string{sqlite.FileName, "key"} {
		if err := unreachable(filepath.Join(s.dir, name), p, []*contract.Contract{c}); err != nil {
			return fmt.Errorf("the state directory: %w: name another with --state", err)
		}
	}
	return nil
}

// own returns the directories of licet itself, as path constraints see them.
func (s *state) own() ([]string, error) {
	real, err := filepath.EvalSymlinks(s.dir)
	return []string{filepath.ToSlash(real)}, err
}

// readState opens a state directory that must exist.
func (a *app) readState(ctx context.Context) (*state, error) {
	dir, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	switch _, err := os.Stat(filepath.Join(dir, sqlite.FileName)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noState(dir)
	case err != nil:
		return nil, fmt.Errorf("looking for the state: %w", err)
	}
	return a.openState(ctx)
}

// noState says that a directory has no state yet; it is [fs.ErrNotExist].
type noState string

func (dir noState) Error() string {
	return fmt.Sprintf("there is no state in %s: the first decision, or `licet approvals enroll NAME`, makes it; name another directory with --state", string(dir))
}

func (noState) Unwrap() error { return fs.ErrNotExist }

// stateKey reads the key of a state directory, and makes one where nothing is
// recorded yet. Several processes may start at once: the one that links its key
// into place first gives it to all.
func stateKey(path string, fresh bool) ([]byte, error) {
	key, err := readKey(path)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return key, err
	case !fresh:
		return nil, fmt.Errorf("the state has records but no key: restore %s from a copy; without it keyed digests, sealed calls and what was stated can't be matched", path)
	}
	key = make([]byte, gate.MinKey)
	rand.Read(key)
	draft := path + "." + rand.Text()
	if err := writeSynced(draft, key); err != nil {
		return nil, fmt.Errorf("writing the state key: %w", err)
	}
	defer os.Remove(draft)
	if err := os.Link(draft, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("writing the state key: %w", err)
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the state key: %w", err)
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the state key %s must be a file that only its owner can read (chmod 600)", path)
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the state key: %w", err)
	}
	if len(key) != gate.MinKey {
		return nil, fmt.Errorf("the state key %s has %d bytes, not %d: restore it from a copy, without it no redacted digest can be matched", path, len(key), gate.MinKey)
	}
	return key, nil
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
