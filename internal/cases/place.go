package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// world is the disk of one case: a directory that is removed with it.
type world struct {
	root   string
	places constraint.Places
	paths  *strings.Replacer // ${workspace} -> its path
	names  *strings.Replacer // and back
}

// newWorld makes the places of a case and what lies in them.
func newWorld(files []File) (*world, error) {
	root, err := os.MkdirTemp("", "licet-case-")
	if err != nil {
		return nil, err
	}
	w := &world{root: root}
	if err := w.fill(files); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close removes the world from the disk.
func (w *world) Close() error { return os.RemoveAll(w.root) }

func (w *world) fill(files []File) error {
	real, err := filepath.EvalSymlinks(w.root) // patterns are compared with resolved paths
	if err != nil {
		return err
	}
	real = filepath.ToSlash(real)
	w.places = constraint.Places{Workspace: real + "/workspace", Home: real + "/home", Tmp: real + "/tmp"}
	w.paths = strings.NewReplacer("${workspace}", w.places.Workspace, "${home}", w.places.Home, "${tmp}", w.places.Tmp)
	w.names = strings.NewReplacer(w.places.Workspace, "${workspace}", w.places.Home, "${home}", w.places.Tmp, "${tmp}")
	for _, dir := range []string{w.places.Workspace, w.places.Home, w.places.Tmp} {
		if err := os.Mkdir(filepath.FromSlash(dir), 0o700); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := w.write(f); err != nil {
			return fmt.Errorf("making %s: %w", f.Path, err)
		}
	}
	return nil
}

func (w *world) write(f File) error {
	path := filepath.FromSlash(w.paths.Replace(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if f.Link != "" {
		return os.Symlink(filepath.FromSlash(w.paths.Replace(f.Link)), path)
	}
	mode := fs.FileMode(0o600)
	if f.Runs {
		mode = 0o700
	}
	return os.WriteFile(path, []byte(f.Content), mode)
}

// call returns c with the paths of places in it.
func (w *world) call(c Call) Call {
	c.Arguments, c.Result = w.value(c.Arguments), w.value(c.Result)
	c.Cwd = w.paths.Replace(c.Cwd)
	if c.Raw != nil {
		c.Raw = []byte(w.paths.Replace(string(c.Raw)))
	}
	return c
}

// value returns v with the paths of places in its texts.
func (w *world) value(v toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		return toolcall.StringOf(w.paths.Replace(v.Text()))
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = w.value(v.Elem(i))
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, value := v.Member(i)
			members[i] = toolcall.Member{Name: name, Value: w.value(value)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}
