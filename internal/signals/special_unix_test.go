//go:build unix

package signals_test

import (
	"os"

	"golang.org/x/sys/unix"
)

// special puts something that is no regular file in the place of one.
func special(w world, name, kind string) {
	w.Helper()
	name = w.path(name)
	if err := os.Remove(name); err != nil {
		w.Fatal(err)
	}
	var err error
	switch kind {
	case "pipe":
		err = unix.Mkfifo(name, 0o600)
	case "device":
		err = os.Symlink("/dev/zero", name)
	case "folder":
		err = os.Mkdir(name, 0o755)
	}
	if err != nil {
		w.Fatal(err)
	}
}
