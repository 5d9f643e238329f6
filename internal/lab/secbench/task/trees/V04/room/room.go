// Package room says where the files of readers are.
package room

import (
	"errors"
	"path"
	"strings"
)

// ErrOutside says that a name leads out of a folder.
var ErrOutside = errors.New("that is not in the folder")

// Path returns where a file in a folder is. The folder itself is in it.
func Path(folder, name string) (string, error) {
	folder = path.Clean(folder)
	full := path.Join(folder, name)
	if !strings.HasPrefix(full, folder) {
		return "", ErrOutside
	}
	return full, nil
}
