package clikit_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
)

// program returns a program with a group, whose one command f runs.
func program(f func(*cobra.Command, []string) error) func(clikit.Streams) *cobra.Command {
	return func(clikit.Streams) *cobra.Command {
		root, group := &cobra.Command{Use: "prog"}, &cobra.Command{Use: "group", Args: cobra.NoArgs}
		c := &cobra.Command{Use: "do FILE [MORE]", Example: "  prog group do a.txt --n 3", Args: cobra.RangeArgs(1, 2), RunE: clikit.RunE(f)}
		c.Flags().Int("n", 0, "a number")
		c.Flags().Bool("json", false, "print JSON")
		if err := c.MarkFlagRequired("n"); err != nil {
			panic(err)
		}
		group.AddCommand(c)
		root.AddCommand(group)
		return root
	}
}

// TestRun: how a run ends decides its status, and what is said about it.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		f      func() error
		status int
		says   string
	}{
		"fine":                {func() error { return nil }, clikit.Fine, ""},
		"failed":              {func() error { return errors.New("no disk") }, clikit.Failed, "prog: no disk\n"},
		"a status of its own": {func() error { return clikit.Exit(clikit.Block) }, clikit.Block, ""},
		"wrong usage":         {func() error { return clikit.Usagef("not %d", 7) }, clikit.Misused, "prog: not 7\nRun `prog help group do` to see what there is.\n"},
		"a defect":            {func() error { panic("oh") }, clikit.Failed, "prog: a defect, please report it: oh\n"},
	} {
		var said strings.Builder
		status := clikit.Run(t.Context(), []string{"group", "do", "x", "--n", "1"}, clikit.Streams{Out: io.Discard, Err: &said},
			program(func(*cobra.Command, []string) error { return c.f() }))
		if status != c.status || !strings.HasPrefix(said.String(), c.says) || (c.says == "") != (said.Len() == 0) {
			t.Errorf("%s: status %d, said %q; want %d, %q", name, status, said.String(), c.status, c.says)
		}
	}
}

// TestErrorsAsJSON: a command that was asked for JSON prints its error as JSON,
// too, whatever it is; what has a status of its own has printed its result.
func TestErrorsAsJSON(t *testing.T) {
	for name, c := range map[string]struct {
		args   string
		ends   error
		status int
		want   string
	}{
		"fine":                {"x --n 1 --json", nil, clikit.Fine, ""},
		"failed":              {"x --n 1 --json", errors.New(`no "disk" <here>`), clikit.Failed, `{"error":"no \"disk\" <here>"}` + "\n"},
		"not asked for":       {"x --n 1", errors.New("no disk"), clikit.Failed, ""},
		"turned off":          {"x --n 1 --json=false", errors.New("no disk"), clikit.Failed, ""},
		"a status of its own": {"x --n 1 --json", clikit.Exit(clikit.Block), clikit.Block, ""},
		"wrong usage":         {"x --n 1 --json", clikit.Usagef("not %d", 7), clikit.Misused, `{"error":"not 7"}` + "\n"},
		"a flag is missing":   {"x --json", nil, clikit.Misused, `{"error":"--n is missing, for example:\n  prog group do a.txt --n 3"}` + "\n"},
	} {
		var out, said strings.Builder
		status := clikit.Run(t.Context(), strings.Fields("group do "+c.args), clikit.Streams{Out: &out, Err: &said},
			program(func(*cobra.Command, []string) error { return c.ends }))
		if status != c.status || out.String() != c.want {
			t.Errorf("%s: status %d, printed %q; want %d, %q", name, status, out.String(), c.status, c.want)
		}
		if failed := c.ends != nil && c.status != clikit.Block || c.status == clikit.Misused; failed != (said.Len() > 0) {
			t.Errorf("%s: said %q", name, said.String())
		}
	}
}

// TestUsage: wrong usage is named, with an example and where to read on; help
// that was asked for is none.
func TestUsage(t *testing.T) {
	const example = ", for example:\n  prog group do a.txt --n 3"
	for line, want := range map[string]string{ // "" is help, on standard output
		"":                         "",
		"group":                    "",
		"help":                     "",
		"help group":               "",
		"help group do":            "",
		"group do --help":          "",
		"gruop":                    `unknown command "gruop" for "prog"; did you mean group?|`,
		"group od x":               `unknown command "od" for "prog group"; did you mean do?| group`,
		"group zzz":                `unknown command "zzz" for "prog group"| group`,
		"completion bsh":           `unknown command "bsh" for "prog completion"; did you mean bash or fish or zsh?| completion`,
		"help group od":            `unknown command "od" for "prog group"; did you mean do?|`,
		"help gruop":               `unknown command "gruop" for "prog"; did you mean group?|`,
		"group do":                 "FILE is missing" + example + "| group do",
		"group do a":               "--n is missing" + example + "| group do",
		"group do a b c d --n 1":   `unexpected argument "c"` + example + "| group do",
		"group do a --n many":      `invalid argument "many" for "--n" flag| group do`,
		"group do a --n 1 --other": "unknown flag: --other| group do",
		"group --other":            "unknown flag: --other| group",
	} {
		var out, said strings.Builder
		status := clikit.Run(t.Context(), strings.Fields(line), clikit.Streams{Out: &out, Err: &said},
			program(func(*cobra.Command, []string) error { return nil }))
		if want == "" {
			if status != clikit.Fine || said.Len() > 0 || !strings.Contains(out.String(), "Usage:\n  prog") {
				t.Errorf("%q: status %d, said %q, printed %q", line, status, said.String(), out.String())
			}
			continue
		}
		text, topic, _ := strings.Cut(want, "|")
		want = "prog: " + text + "\nRun `prog help" + topic + "` to see what there is.\n"
		if status != clikit.Misused || said.String() != want || out.Len() > 0 {
			t.Errorf("%q: status %d, printed %q, said %q, want %q", line, status, out.String(), said.String(), want)
		}
	}
}

// full is a device on which nothing fits.
type full struct{ error }

func (f full) Write([]byte) (int, error) { return 0, f.error }

// TestLostOutput: what was not written is a failure, also where the command did
// not look, or had a status of its own.
func TestLostOutput(t *testing.T) {
	device := full{errors.New("no space")}
	for name, c := range map[string]struct {
		ends error
		says string
	}{
		"fine":     {nil, "prog: writing the output: no space\n"},
		"a status": {clikit.Exit(clikit.Block), "prog: writing the output: no space\n"},
		"noticed":  {fmt.Errorf("printing: %w", device.error), "prog: printing: no space\n"},
		"another":  {errors.New("no disk"), "prog: no disk\nwriting the output: no space\n"},
	} {
		var said strings.Builder
		status := clikit.Run(t.Context(), []string{"do"}, clikit.Streams{Out: device, Err: &said}, func(s clikit.Streams) *cobra.Command {
			root := &cobra.Command{Use: "prog"}
			root.AddCommand(&cobra.Command{Use: "do", RunE: clikit.RunE(func(*cobra.Command, []string) error {
				fmt.Fprintln(s.Out, "an answer")
				return c.ends
			})})
			return root
		})
		if status != clikit.Failed || said.String() != c.says {
			t.Errorf("%s: status %d, said %q, want %q", name, status, said.String(), c.says)
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

// TestListenLoopback: on this machine only.
func TestListenLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "192.168.1.1:80", "example.com:80", "localhost:0", ":0", "127.0.0.1", ""} {
		if l, err := clikit.ListenLoopback(address); err == nil {
			l.Close()
			t.Errorf("%q: listens", address)
		}
	}
}
