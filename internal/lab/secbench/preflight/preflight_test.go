package preflight

import (
	"fmt"
	"os"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// TestMain makes this program what a box starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "inside" {
		if err := Inside(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func box(t *testing.T) sandbox.Box {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Box{Self: []string{self, "inside"}}
}

// TestHolds: on the sandbox as it is, all checks hold.
func TestHolds(t *testing.T) {
	report, err := Run(t.Context(), Config{Box: box(t)})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range report.Findings {
		if want := fmt.Sprintf("PF%02d", i+1); f.Code != want {
			t.Errorf("%s stands where %s belongs", f.Code, want)
		}
		t.Log(f.Code, f.MS)
		if !f.Held {
			t.Errorf("%s (%s): %q", f.Code, f.What, f.Worked)
		}
	}
	if len(report.Findings) != 24 {
		t.Errorf("%d checks", len(report.Findings))
	}
}
