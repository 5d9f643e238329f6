// Package share hands out files to readers, and takes theirs.
package share

import (
	"errors"
	"io/fs"
	"path"
	"testing/fstest"
)

// ErrName says that a name is none.
var ErrName = errors.New("that is no name of a file")

// Rota is who works when.
const Rota = "early: front desk\nlate: reading room\n"

// drive is what was copied to memory.
var drive = fstest.MapFS{
	"readers/hours.txt":  {Data: []byte("ten to six\n")},
	"readers/floors.txt": {Data: []byte("maps are on the second floor\n")},
	"office/rota.txt":    {Data: []byte(Rota)},
}

// Fetch returns the file that a reader asked for.
func Fetch(name string) ([]byte, error) {
	if name == "" || path.IsAbs(name) {
		return nil, ErrName
	}
	return fs.ReadFile(drive, path.Join("readers", path.Clean("/"+name)))
}

// Today returns what hangs in the office.
func Today() ([]byte, error) {
	return fs.ReadFile(drive, "office/rota.txt")
}
