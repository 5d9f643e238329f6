package splitmix

import (
	"slices"
	"testing"
)

func TestVectors(t *testing.T) {
	var g Generator
	for _, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := g.Uint64(); got != want {
			t.Errorf("got %016x, want %016x", got, want)
		}
	}
	g = 20260519
	var got []int
	for range 10 {
		got = append(got, g.Below(30))
	}
	if want := []int{24, 17, 9, 20, 23, 27, 28, 1, 12, 9}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
