package cart

import "testing"

func TestNone(t *testing.T) {
	if got := Fits(nil, Board); got != 0 {
		t.Errorf("got %d", got)
	}
}

func TestLoad(t *testing.T) {
	if got := Load([]int{300, 150}); got != 50 {
		t.Errorf("got %d", got)
	}
}
