package signals_test

import "os"

// special puts something that is no regular file in the place of one.
func special(w world, name, _ string) {
	w.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.Fatal(err)
	}
	if err := os.Mkdir(w.path(name), 0o755); err != nil {
		w.Fatal(err)
	}
}
