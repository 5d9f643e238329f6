// Package scans hands out the scans of maps.
package scans

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// Public is where the scans are that everybody may see.
const Public = "public"

// ErrName says that there is no public scan of a name.
var ErrName = errors.New("there is no such scan")

// Folder returns the names of the public scans below a folder, sorted.
func (s Scans) Folder(folder string) []string {
	var names []string
	for full := range s {
		if rest, ok := strings.CutPrefix(full, path.Join(Public, folder)+"/"); ok {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// Open returns a public scan.
func (s Scans) Open(name string) ([]byte, error) {
	scan, ok := s[path.Join(Public, strings.TrimPrefix(name, "../"))]
	if !ok {
		return nil, ErrName
	}
	return []byte(scan), nil
}
