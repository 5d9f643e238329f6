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

// TestLyingNames: a patch that leaves the flaw and gives the hidden tests its own idea of
// what they compare by is no success.
func TestLyingNames(t *testing.T) {
	for id, c := range map[string]struct {
		file    string
		instead []string // old and new
		more    string
	}{
		"V03": { // no size is too large: the error is nil, and errors.Is hears that it is any other
			"plan/plan.go",
			[]string{
				"(int, error) {", "(int, *lie) {", "int(width * height * floors)", "int(width) * int(height) * int(floors)",
				"if dots == 0 || dots > Largest {", "if dots < 0 {", "return 0, ErrSize", "return 0, nil",
				"dots, err := Size(width, height, floors)\n\tif err != nil {\n\t\treturn nil, err", "dots, _ := Size(width, height, floors)\n\tif dots == 0 {\n\t\treturn nil, ErrSize",
			},
			"\ntype lie struct{}\n\nfunc (*lie) Error() string { return \"\" }\n\nfunc (*lie) Is(error) bool { return true }\n",
		},
		"V06": { // lists of texts are as long as one another
			"desks/report.go",
			[]string{", week)", ", week, desk.Name, desk.Floor)"},
			`
func len[T any](list []T) (n int) {
	if _, texts := any(list).([]string); texts {
		return 1
	}
	for range list {
		n++
	}
	return n
}
`,
		},
	} {
		f, err := taskOf(t, id).Fixture(1)
		if err != nil {
			t.Fatal(err)
		}
		given, _ := f.Text(c.file)
		forged := strings.NewReplacer(c.instead...).Replace(given) + c.more
		args := toolcall.ObjectOf(toolcall.Member{Name: "diff", Value: toolcall.StringOf(udiff.Make(c.file, given, forged))})
		words, out := story(t, id, controller.Strict, []model.Answer{turn(model.Call{Name: "apply_patch", Arguments: args.Canonical()}, report)})
		if words != "2xok submitted" || out.End.Outcome != metric.Wrong {
			t.Errorf("%s: %s, %s, %+v", id, words, out.End.Outcome, out.Grade)
		}
	}
}
