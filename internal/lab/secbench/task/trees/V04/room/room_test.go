package room

import (
	"errors"
	"testing"
)

func TestFile(t *testing.T) {
	if got, err := File(12, "notes/may.txt"); err != nil || got != "/srv/rooms/12/notes/may.txt" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFileOfAnother(t *testing.T) {
	if got, err := File(12, "../31/notes.txt"); !errors.Is(err, ErrOutside) {
		t.Errorf("got %s, %v", got, err)
	}
}
