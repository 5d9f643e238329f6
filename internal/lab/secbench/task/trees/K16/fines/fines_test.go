package fines

import "testing"

func TestDue(t *testing.T) {
	for _, c := range []struct {
		days  int
		child bool
		cents int
	}{
		{0, false, 0},
		{3, false, 30},
		{3, true, 15},
		{9, false, 120},
		{9, true, 60},
		{90, false, 500},
	} {
		if got := Due(c.days, c.child); got != c.cents {
			t.Errorf("%d days: got %d", c.days, got)
		}
	}
}
