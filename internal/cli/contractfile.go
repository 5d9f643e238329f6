package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// maxFile bounds a contract, and each file that it names, in bytes.
const maxFile = 16 << 20

// contractFile is a contract as it was read from disk.
type contractFile struct {
	path     string
	text     []byte
	files    map[string][]byte // of every file that the contract names, by the name there
	contract *contract.Contract
	stamps   map[string]stamp // of every file that was read
}

// stamp tells whether a file may have changed.
type stamp struct {
	size  int64
	mtime time.Time
}

// readContract reads and checks a contract. Where the gate's places are known,
// a contract that its own agents could write is refused (contract.md, rule 6).
// Problems of its text are contract.Problems, which name the file themselves.
func readContract(path string, places constraint.Places) (*contractFile, error) {
	f := &contractFile{path: path, files: map[string][]byte{}, stamps: map[string]stamp{}}
	text, err := f.read(path)
	if err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	f.text = text
	f.contract, err = contract.Load(path, text, f.open)
	if err != nil {
		return nil, err
	}
	return f, f.outOfReach(places, f.contract)
}

// open reads a file that the contract names.
func (f *contractFile) open(name string) (text []byte, err error) {
	f.files[name], err = f.read(f.beside(name))
	return f.files[name], err
}

// Members of a bundle.
const (
	bundleContract = "contract"
	bundleFiles    = "files"
)

// bundle returns the contract with all files that it names as one canonical JSON
// object, {"contract": TEXT, "files": {NAME: TEXT}}: what the store keeps, so
// that a record can be explained when the files are gone.
func (f *contractFile) bundle() []byte {
	var files []toolcall.Member
	for name, text := range f.files {
		files = append(files, toolcall.Member{Name: name, Value: toolcall.StringOf(string(text))})
	}
	return toolcall.ObjectOf(
		toolcall.Member{Name: bundleContract, Value: toolcall.StringOf(string(f.text))},
		toolcall.Member{Name: bundleFiles, Value: toolcall.ObjectOf(files...)},
	).AppendCanonical(nil)
}

// maxBundle bounds a bundle in bytes: a contract with some files, in which every
// character may be escaped.
const maxBundle = 16 * maxFile

// loadBundle loads the contract with this digest from the bundle that the store
// keeps of it.
func loadBundle(digest string, bundle []byte) (*contract.Contract, error) {
	v, err := toolcall.Parse(bundle, toolcall.Bounds{Bytes: maxBundle})
	if err != nil {
		return nil, fmt.Errorf("reading the kept contract %s: %w", digest, err)
	}
	c, err := contract.Load("contract "+digest, []byte(v.Get(bundleContract).Text()), func(name string) ([]byte, error) {
		file := v.Get(bundleFiles).Get(name)
		if file.Kind() != toolcall.String {
			return nil, fmt.Errorf("%s was not kept with it", name)
		}
		return []byte(file.Text()), nil
	})
	if err != nil {
		return nil, fmt.Errorf("loading the kept contract: %w", err)
	}
	if c.Digest() != digest {
		return nil, fmt.Errorf("the kept contract has the digest %s, not %s: this version of licet reads it in another way", c.Digest(), digest)
	}
	return c, nil
}

// beside returns where a file lies that the contract names.
func (f *contractFile) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.path), filepath.FromSlash(name))
}

func (f *contractFile) read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f.stamps[path] = stamp{info.Size(), info.ModTime()}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return text, nil
}

// outOfReach refuses a contract, or a file that it names, that lies in the
// workspace or that a clause of one of the contracts lets an agent write. A file
// that is reached through links lies at each of them: who can exchange a link
// can exchange the file.
func (f *contractFile) outOfReach(p constraint.Places, contracts ...*contract.Contract) error {
	paths := append([]string{f.path}, slices.Sorted(maps.Keys(f.stamps))...)
	for _, path := range paths {
		if err := unreachable(path, p, contracts); err != nil {
			return fmt.Errorf("%w: keep the contract and its catalogs elsewhere", err)
		}
	}
	return nil
}

// unreachable refuses a path of licet's own that agents could change.
func unreachable(path string, p constraint.Places, contracts []*contract.Contract) error {
	places, err := locations(path)
	if err != nil {
		return fmt.Errorf("finding %s: %w", path, err)
	}
	for _, at := range places {
		at = filepath.ToSlash(at)
		if p.Workspace != "" && within(at, p.Workspace) {
			return fmt.Errorf("%s lies in the workspace %s, where agents work", path, p.Workspace)
		}
		for _, c := range contracts {
			if clause, ok := c.Writer(at, p); ok {
				return fmt.Errorf("%s could be written by an agent under %s", path, clause)
			}
		}
	}
	return nil
}

// within says whether a path is a directory or lies in it. Letter case is not
// looked at: some file systems do not either.
func within(path, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return len(path) >= len(dir) && strings.EqualFold(path[:len(dir)], dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// maxLinks bounds how many links a path is followed through.
const maxLinks = 40

// locations returns where a path lies: the place of each link on the way to it,
// and of the file itself, each with the directories above it resolved.
func locations(path string) ([]string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	var all []string
	for links := 0; ; links++ {
		link, target, err := firstLink(abs)
		if err != nil {
			return nil, err
		}
		if link == "" {
			return append(all, abs), nil
		}
		if links == maxLinks {
			return nil, errors.New("too many links")
		}
		all = append(all, link)
		abs = target
	}
}

// firstLink returns the first link on a clean absolute path, and the path with
// that link replaced by what it leads to.
func firstLink(path string) (link, target string, err error) {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, names := root, strings.Split(strings.TrimPrefix(path, root), string(filepath.Separator))
	for i, name := range names {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil {
			return "", "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		return at, filepath.Join(append([]string{to}, names[i+1:]...)...), nil
	}
	return "", "", nil
}

// changed says whether a file that was read may be another one now.
func (f *contractFile) changed() bool {
	for path, old := range f.stamps {
		info, err := os.Stat(path)
		if err != nil || info.Size() != old.size || !info.ModTime().Equal(old.mtime) {
			return true
		}
	}
	return false
}

// watchedContract follows a contract file. A changed file that is refused never
// takes the place of the contract that runs.
type watchedContract struct {
	places constraint.Places
	store  ledger.Store
	log    io.Writer
	every  time.Duration

	mu      sync.Mutex
	file    *contractFile
	looked  time.Time
	refused string // what was said last about a refused change
}

// errNotKept says that the store did not take the contract, so that no decision
// could be recorded either.
var errNotKept = errors.New("keeping the contract in the store")

// watchContract reads a contract and keeps it in the store.
func watchContract(ctx context.Context, path string, places constraint.Places, s *state, log io.Writer) (*watchedContract, error) {
	f, err := readContract(path, places)
	if err != nil {
		return nil, err
	}
	if err := s.outOfReach(places, f.contract); err != nil {
		return nil, err
	}
	if err := s.store.SaveContract(ctx, f.contract.Digest(), f.bundle()); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotKept, err)
	}
	return &watchedContract{places: places, store: s.store, log: log, every: time.Second, file: f, looked: time.Now()}, nil
}

// announceShadow says for which agents nothing is enforced.
func announceShadow(log io.Writer, c *contract.Contract) {
	for _, name := range c.Agents() {
		if c.Agent(name).Shadow {
			fmt.Fprintf(log, "licet: SHADOW: nothing is enforced for agent %s, decisions are only recorded\n", name)
		}
	}
}

// current returns the contract in force.
func (w *watchedContract) current() *contract.Contract {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.looked) >= w.every {
		w.looked = now
		w.reload()
	}
	return w.file.contract
}

func (w *watchedContract) reload() {
	if !w.file.changed() {
		return
	}
	f, err := readContract(w.file.path, w.places)
	if err == nil { // the one in force may let agents write where the new one lies
		err = f.outOfReach(w.places, w.file.contract)
	}
	if err == nil && f.contract.Digest() != w.file.contract.Digest() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err = w.store.SaveContract(ctx, f.contract.Digest(), f.bundle())
	}
	if err != nil {
		if w.refused != err.Error() {
			w.refused = err.Error()
			fmt.Fprintf(w.log, "licet: the changed contract is refused, the one before stays in force:\n%v\n", err)
		}
		return
	}
	if f.contract.Digest() != w.file.contract.Digest() {
		fmt.Fprintf(w.log, "licet: contract %s is in force (%s)\n", f.contract.Name(), f.contract.Digest())
		announceShadow(w.log, f.contract)
	}
	w.file, w.refused = f, ""
}
