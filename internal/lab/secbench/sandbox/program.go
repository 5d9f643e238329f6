package sandbox

import (
	"debug/elf"
	"fmt"
	"os"
)

// Program returns the paths that a command needs to be this program: the file, and
// where it is linked dynamically, as tests with cgo are, the system's libraries.
func Program(name string) ([]Path, error) {
	paths := []Path{{Name: name}}
	file, err := elf.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading how a program is linked: %w", err)
	}
	defer file.Close()
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		for _, dir := range []string{"/lib", "/lib64", "/usr/lib"} {
			if _, err := os.Stat(dir); err == nil {
				paths = append(paths, Path{Name: dir})
			}
		}
	}
	return paths, nil
}
