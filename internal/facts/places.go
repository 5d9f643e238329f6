package facts

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/constraint"
)

// ResolvePlaces returns the directories that patterns may begin with, links
// followed: the workspace that configuration or the host named, and home and
// temporary directory of this process. An empty workspace is unknown, and so
// are the other two where the system does not name a directory. It is an error
// if the workspace is named but is no directory.
func ResolvePlaces(workspace string) (constraint.Places, error) {
	p := constraint.Places{Tmp: placeOf(os.TempDir())}
	if home, err := os.UserHomeDir(); err == nil { // an error means that there is none
		p.Home = placeOf(home)
	}
	if workspace == "" {
		return p, nil
	}
	p.Workspace = placeOf(workspace)
	if p.Workspace == "" {
		return constraint.Places{}, errors.New("expected the absolute path of a directory that is there")
	}
	return p, nil
}

// placeOf returns the resolved path of a directory, "" if it is none.
func placeOf(dir string) string {
	f, err := Resolve(dir, "")
	if err != nil || f.Special {
		return ""
	}
	if info, err := os.Stat(filepath.FromSlash(f.Path)); err != nil || !info.IsDir() {
		return ""
	}
	return f.Path
}
