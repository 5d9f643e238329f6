package years

import "testing"

func TestNone(t *testing.T) {
	if got := Gaps(nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestString(t *testing.T) {
	if got := (Span{1901, 1903}).String(); got != "1901-1903" {
		t.Errorf("got %s", got)
	}
}
