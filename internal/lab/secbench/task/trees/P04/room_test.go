package boxes

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

var boxes = fstest.MapFS{"12/may.txt": {Data: []byte("lilac")}}

func TestOpen(t *testing.T) {
	if _, err := Open(boxes, "12", "may.txt"); err != nil {
		t.Error(err)
	}
}

func TestOther(t *testing.T) {
	if _, err := Open(boxes, "12", "june.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if n, err := Size(boxes, "12"); err != nil || n != 5 {
		t.Errorf("got %d, %v", n, err)
	}
}
