// Package boxes opens the files in the boxes of readers.
package boxes

import (
	"errors"
	"io/fs"
	"path"
)

// ErrName says that a name is none.
var ErrName = errors.New("that is no name")

// Open opens a file in the box of a reader.
func Open(all fs.FS, box, file string) (fs.File, error) {
	if file == "" {
		return nil, ErrName
	}
	return all.Open(path.Join(box, file))
}
