package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// maxFile bounds what is read of one file, and so what one may become.
const maxFile = 1 << 20

// Scratch is the folder in which an agent may make files.
const Scratch = "scratch"

// workspace is the folder of a run.
type workspace struct {
	root     *os.Root
	given    map[string]string // the files as they were given
	revision int               // how many patches were applied
}

// read returns the content of a regular file with one name.
func (w *workspace) read(name string) (string, error) {
	before, err := w.root.Lstat(name)
	if err != nil {
		return "", err
	}
	if !before.Mode().IsRegular() || !oneLink(before) {
		return "", errNotPlain
	}
	f, err := w.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !os.SameFile(before, opened) {
		return "", errNotPlain
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errors.New("the file is too large")
	}
	return string(text), err
}

var errNotPlain = errors.New("no regular file with one name")

// write writes a file that is new or a regular one.
func (w *workspace) write(name, text string) error {
	if info, err := w.root.Lstat(name); err == nil && (!info.Mode().IsRegular() || !oneLink(info)) {
		return errNotPlain
	}
	return w.root.WriteFile(name, []byte(text), 0o600)
}

// files returns the paths of all regular files, sorted.
func (w *workspace) files() ([]string, error) {
	var names []string
	err := fs.WalkDir(w.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// tree returns the files that were given, as they are now.
func (w *workspace) tree() ([]task.File, error) {
	names, err := w.files()
	if err != nil {
		return nil, err
	}
	var files []task.File
	for _, name := range names {
		if path.Dir(name) == Scratch {
			continue
		}
		text, err := w.read(name)
		if err != nil {
			return nil, err
		}
		files = append(files, task.File{Path: name, Text: text})
	}
	return files, nil
}

// rev is the revision that a file shows: 0 as long as it is as it was given.
func (w *workspace) rev(name, text string) int {
	if given, ok := w.given[name]; ok && given == text {
		return 0
	}
	return w.revision
}

// Entry is one file of a manifest, channel 3 of a trace.
type Entry struct {
	Path   string `json:"path"`
	Mode   string `json:"mode"`
	Size   int    `json:"size"`
	Links  bool   `json:"links"` // it has other names, too
	SHA256 string `json:"sha256"`
}

// Manifest returns all that lies in a workspace, in canonical form. Folders do not
// count; what is no regular file has no hash.
func Manifest(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries := []Entry{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := root.Lstat(name)
		if err != nil {
			return err
		}
		e := Entry{Path: name, Mode: info.Mode().String(), Size: int(info.Size()), Links: !oneLink(info)}
		if info.Mode().IsRegular() {
			text, err := root.ReadFile(name)
			if err != nil {
				return err
			}
			e.SHA256 = trace.Sum(text)
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the workspace: %w", err)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	v, err := trace.ValueOf(struct {
		Files []Entry `json:"files"`
	}{entries})
	if err != nil {
		return nil, err
	}
	return append(v.AppendCanonical(nil), '\n'), nil
}
