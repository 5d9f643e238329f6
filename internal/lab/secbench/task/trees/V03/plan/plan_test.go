package plan

import (
	"errors"
	"testing"
)

func TestPut(t *testing.T) {
	p, err := New(40, 30, 2)
	if err != nil || len(p.Dots) != 2400 {
		t.Fatalf("%v", err)
	}
	if !p.Put(39, 29, 1, 7) || p.Dots[2399] != 7 || p.Put(40, 0, 0, 7) {
		t.Error("the last place")
	}
}

func TestEmpty(t *testing.T) {
	if _, err := New(0, 30, 2); !errors.Is(err, ErrSize) {
		t.Errorf("got %v", err)
	}
}
