package signals_test

import (
	"os"
	"path"
	"strings"
	"testing"
	"unicode"

	"github.com/licet-dev/licet/internal/signals"
)

// FuzzIndex: an index is read or refused; what is read leads nowhere but below the
// top of the work tree.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff" + strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := signals.ParseIndex(b)
		if err != nil {
			return
		}
		for _, name := range names {
			if path.IsAbs(name) || name == ".." || strings.HasPrefix(path.Clean(name), "../") {
				t.Errorf("an entry leads to %q", name)
			}
		}
	})
}

// TestIndexCut: an index of which the end is missing is refused.
func TestIndexCut(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	b, err := os.ReadFile(w.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	if names, err := signals.ParseIndex(b); err != nil || len(names) != 3 {
		t.Fatalf("%v, %v", names, err)
	}
	for n := range 3 * 62 {
		if names, err := signals.ParseIndex(b[:n]); err == nil {
			t.Errorf("%d bytes give %v", n, names)
		}
	}
}

// FuzzPatch: a delta gives as many bytes as it says, or an error.
func FuzzPatch(f *testing.F) {
	f.Add([]byte("hello"), []byte("\x05\x05\x90\x05"))
	f.Add([]byte("hello"), []byte("\x05\x02\x02hi"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := signals.Patch(base, delta)
		if err != nil && out != nil || len(out) > 4<<20 {
			t.Errorf("%d bytes and %v", len(out), err)
		}
	})
}

// FuzzClean: a text of the environment becomes one line of at most 200 characters
// without characters that steer, and cleaning it again changes nothing of that.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31m", "\u202eabc", strings.Repeat("é", 500), "\xff", "AWS_SECRET_ACCESS_KEY=hunter2hunter2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := signals.Clean(s)
		if len([]rune(got)) > 200 || strings.ContainsFunc(got, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
			t.Errorf("%q", got)
		}
	})
}

// TestIgnore: patterns as gitignore(5) has them; git itself is asked, too.
func TestIgnore(t *testing.T) {
	tests := []struct {
		patterns, name string
		want           bool
	}{
		{"*.log", "a/b.log", true}, {"*.log", "b.txt", false}, {"*.log\n!b.log", "b.log", false}, {"/a", "a", true}, {"/a", "b/a", false},
		{"a/b", "a/b", true}, {"a/b", "c/a/b", false}, {"**/b", "a/c/b", true}, {"a/**", "a/x/y", true}, {"a/**/z", "a/z", true}, {"a/**/z", "a/x/y/z", true},
		{"[ab].c", "b.c", true}, {"[!ab].c", "b.c", false}, {"[!ab].c", "x.c", true}, {"a?c", "abc", true}, {"a?c", "a/c", false}, {`\#x`, "#x", true},
		{"#x", "#x", false}, {"x ", "x", true}, {"[", "[", false}, {"x\\ ", "x ", true}, {`\!x`, "!x", true}, {"*", "x", true}, {"**", "a/b", true},
	}
	for _, tt := range tests {
		if got := signals.ParseIgnore(tt.patterns, tt.name, false); got != tt.want {
			t.Errorf("%q of %q: %t", tt.name, tt.patterns, got)
		}
		w := newWorld(t)
		w.git("init", "-q")
		w.write(map[string]string{".gitignore": tt.patterns + "\n", tt.name: ""})
		out := w.git("status", "--porcelain", "-uall", "-z")
		if is := !strings.Contains("\x00"+out, "?? "+tt.name+"\x00"); is != tt.want {
			t.Errorf("git says of %q in %q: %t", tt.name, tt.patterns, is)
		}
	}
}
