package text

import "testing"

func TestNothing(t *testing.T) {
	if got := Fold(" ", 10); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestCentre(t *testing.T) {
	if got := Centre("a receipt of thirty letters ok"); got != " a receipt of thirty letters ok" {
		t.Errorf("got %q", got)
	}
}
