package cli

import "testing"

func TestPointAt(t *testing.T) {
	for _, tt := range []struct {
		line   string
		column int
		want   string
	}{
		{"name: x y", 7, "  name: x y\n        ^\n"},
		{"a", 1, "  a\n  ^\n"},
		{"\tü: x\r", 4, "   ü: x\n     ^\n"},
		{"a\u202eb", 3, "  a<U+202E>b\n           ^\n"},
		{"", 9, "  \n  ^\n"},
	} {
		if got := pointAt(tt.line, tt.column); got != tt.want {
			t.Errorf("pointAt(%q, %d) = %q, want %q", tt.line, tt.column, got, tt.want)
		}
	}
}
