package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// FuzzReadIndex: what is read is written as it stood, and of a file with anything
// else the lines before it are.
func FuzzReadIndex(f *testing.F) {
	hash := strings.Repeat("a", 64)
	f.Add([]byte(""))
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"gate_head":"` + hash + `","run":"L01-1-oracle-strict-plain","trace_head":"` + hash + `"}` + "\n"))
	f.Add([]byte("{\"run\":\"../x\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, Index), text, 0o600); err != nil {
			t.Fatal(err)
		}
		lines, err := ReadIndex(dir)
		var again []byte
		for _, l := range lines {
			v, err := trace.ValueOf(l)
			if err != nil {
				t.Fatal(err)
			}
			again = append(append(again, v.Canonical()...), '\n')
			if !runName.MatchString(l.Run) {
				t.Errorf("the run %q", l.Run)
			}
		}
		if err == nil && string(again) != string(text) || err != nil && !strings.HasPrefix(string(text), string(again)) {
			t.Errorf("%q was read as %q, %v", text, again, err)
		}
	})
}
