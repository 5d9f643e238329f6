package hours

import "testing"

func TestNone(t *testing.T) {
	if got := Merge([]Open{{600, 600}}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestMinutes(t *testing.T) {
	if got := Minutes([]Open{{600, 660}, {700, 710}}); got != 70 {
		t.Errorf("got %d", got)
	}
}
