package share

import (
	"path"
	"testing/fstest"
)

// largest is how many bytes a reader may leave.
const largest = 1 << 16

// Tray is what readers left since the last night.
type Tray struct{ files fstest.MapFS }

// Take puts what a reader brought into the tray and returns where it is.
func (t *Tray) Take(name string, content []byte) (string, error) {
	clean := path.Base(path.Clean("/" + name))
	if clean == "/" || len(content) > largest {
		return "", ErrName
	}
	if t.files == nil {
		t.files = fstest.MapFS{}
	}
	where := path.Join("tray", clean)
	t.files[where] = &fstest.MapFile{Data: content}
	return where, nil
}
