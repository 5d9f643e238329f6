package scans

import (
	"errors"
	"testing"
)

func TestOpen(t *testing.T) {
	if got, err := All.Open("city/sheet-1.txt"); err != nil || string(got) != "city, sheet 1\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := All.Open("city/sheet-9.txt"); !errors.Is(err, ErrName) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFolder(t *testing.T) {
	if got := All.Folder("harbour"); len(got) != 1 || got[0] != "sheet-4" {
		t.Errorf("got %q", got)
	}
}
