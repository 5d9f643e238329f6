package clikit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
)

// TestRun: how a run ends decides its status, and what is said about it.
func TestRun(t *testing.T) {
	command := func(f func(*cobra.Command, []string) error) func(context.Context) error {
		return func(ctx context.Context) error {
			c := &cobra.Command{Use: "prog", Args: cobra.NoArgs, RunE: clikit.RunE(f), SilenceErrors: true, SilenceUsage: true}
			c.SetArgs(nil)
			return c.ExecuteContext(ctx)
		}
	}
	ends := func(err error) func(context.Context) error {
		return command(func(*cobra.Command, []string) error { return err })
	}
	for name, c := range map[string]struct {
		run    func(context.Context) error
		status int
		says   string
	}{
		"fine":                {ends(nil), clikit.Fine, ""},
		"failed":              {ends(errors.New("no disk")), clikit.Failed, "prog: no disk\n"},
		"a status of its own": {ends(clikit.Exit(clikit.Block)), clikit.Block, ""},
		"wrong usage":         {ends(clikit.Usagef("not %d", 7)), clikit.Misused, "prog: not 7\nRun `prog help` to see what there is.\n"},
		"not a command's":     {func(context.Context) error { return errors.New("unknown flag") }, clikit.Misused, "prog: unknown flag\nRun `prog help` to see what there is.\n"},
		"a defect":            {func(context.Context) error { panic("oh") }, clikit.Failed, "prog: a defect, please report it: oh\n"},
	} {
		var said strings.Builder
		status := clikit.Run(t.Context(), "prog", &said, c.run)
		if status != c.status || !strings.HasPrefix(said.String(), c.says) || (c.says == "") != (said.Len() == 0) {
			t.Errorf("%s: status %d, said %q; want %d, %q", name, status, said.String(), c.status, c.says)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, ünïcödé 漢字": "plain text, ünïcödé 漢字",
		"a\x1b[2Jb":              "a<U+001B>[2Jb",
		"line\nbreak\ttab":       "line<U+000A>break<U+0009>tab",
		"a\u202eb":               "a<U+202E>b", // right-to-left override
		"a\u200bb\ufeffc":        "a<U+200B>b<U+FEFF>c",
		"a\ufe0fb\U000e0101c":    "a<U+FE0F>b<U+E0101>c", // variation selectors
		"a\u3164b\u115fc":        "a<U+3164>b<U+115F>c",  // Hangul fillers
		"a\U000e0041b":           "a<U+E0041>b",          // tag characters
	} {
		if got := clikit.Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOnly(t *testing.T) {
	for _, c := range []struct {
		chosen string
		names  []string
		want   string
	}{
		{"", []string{"a"}, "a"}, {"b", []string{"a", "b"}, "b"},
		{"", nil, ""}, {"", []string{"a", "b"}, ""}, {"c", []string{"a", "b"}, ""}, {"b", []string{"a"}, ""},
	} {
		got, err := clikit.Only("agent", c.chosen, c.names)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q of %q: %q, %v", c.chosen, c.names, got, err)
		}
	}
}
