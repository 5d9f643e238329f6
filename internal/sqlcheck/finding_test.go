package sqlcheck

import "testing"

// TestNothingFound: a statement of which a walk finds nothing is unknown.
func TestNothingFound(t *testing.T) {
	if s := newFinding().statement(); !s.Unknown() || s.ReadOnly() || !s.Opaque {
		t.Errorf("nothing found is %+v", s)
	}
}
