package doctest

import (
	"os/exec"
	"testing"

	"github.com/licet-dev/licet/internal/testkit"
)

func TestShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash on PATH")
	}
	s := newShell(t, testkit.Root(t), bash)
	for _, c := range []command{
		{text: "mkdir -p a && cd a && export WORD=kept"},
		{text: `echo "$WORD" in "${PWD##*/}"`, want: []string{"kept in a"}},
		{text: "echo wrong >&2; false", exit: 1, want: []string{"wrong"}},
		{text: `cd && ls docs >/dev/null && echo "${PWD#"$HOME"}."`, want: []string{"."}},
		{text: "echo one \\\n  two", want: []string{"one two"}},
		{text: "licet no-such-command", exit: 2, want: []string{"..."}},
		{text: "go run ./cmd/licet no-such-command", exit: 2, want: []string{"..."}},
	} {
		if err := s.execute(t.Context(), c); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []command{
		{text: "true", exit: 1},
		{text: "false"},
		{text: "echo one", want: []string{"two"}},
		{text: "echo more"},
	} {
		if err := s.execute(t.Context(), c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestSkipFor(t *testing.T) {
	list := []skip{{"make", "why"}, {"go test ./...", "why"}}
	for text, want := range map[string]bool{
		"make": true, "make check": true, "makeup": false, "go test ./...": true, "go test": false, "": false,
	} {
		if got := skipFor(list, text) != nil; got != want {
			t.Errorf("skipFor(%q) = %t, want %t", text, got, want)
		}
	}
}
