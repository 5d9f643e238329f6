package rec

import "testing"

func TestParse(t *testing.T) {
	f, err := Parse([]byte{3, 'a', 'n', 'n', 7})
	if err != nil || f != (Frame{Badge: "ann", Door: 7}) {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestParseNothing(t *testing.T) {
	if _, err := Parse(nil); err == nil {
		t.Error("nothing was read as a frame")
	}
}
