package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/toolcall"
)

// TestForgedTests: a patch that mends nothing and prints what tests print that pass, by
// the names of the hidden ones, is no success, however it then ends them.
func TestForgedTests(t *testing.T) {
	f, err := taskOf(t, "V01").Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := f.Gold()
	if err != nil {
		t.Fatal(err)
	}
	given, _ := f.Text("rec/parse.go")
	names := fmt.Sprintf("%q", append(gold.Hidden.FailToPass, gold.Hidden.PassToPass...))
	for end, c := range map[string]struct{ imports, code string }{
		"by a crash":           {`import "errors"`, "var f func()\n\tf = func() { f() }\n\tf()"},
		"as if all had passed": {"import (\n\t\"errors\"\n\t\"syscall\"\n)", "syscall.Exit(0)"},
	} {
		forged := strings.Replace(given, `import "errors"`, c.imports, 1) + `
var _ = func() int {
	for _, t := range []string{` + strings.ReplaceAll(strings.Trim(names, "[]"), " ", ", ") + `} {
		println("\x16=== RUN   " + t + "\n\x16--- PASS: " + t + " (0.00s)")
	}
	` + c.code + `
	return 0
}()
`
		args := toolcall.ObjectOf(toolcall.Member{Name: "diff", Value: toolcall.StringOf(udiff.Make("rec/parse.go", given, forged))})
		patch := model.Call{Name: "apply_patch", Arguments: args.Canonical()}
		words, out := story(t, "V01", controller.Strict, []model.Answer{turn(patch, report)})
		if words != "2xok submitted" || out.End.Outcome != metric.Wrong {
			t.Errorf("%s: %s, %s, %+v", end, words, out.End.Outcome, out.Grade)
		}
	}
}
