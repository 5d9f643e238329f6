package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// awkward are command lines whose words every notation must quote.
var awkward = [][]string{
	{"/opt/licet", "mcp", "--", "npx", "-y", "@scope/server", "/data"},
	{"/my tools/licet", "it's", `say "hi"`, `C:\dir\`, "$HOME `id` $(id)", "", "a\nb\tc", "*?[]{}~#!&|;<>()", "=x", "ü日🙂"},
	{"x", "\x7f", "<b>&amp;</b>", "\u2028", `\u0041`},
}

func TestQuotingJSON(t *testing.T) {
	for _, argv := range awkward {
		var doc struct {
			MCPServers map[string]struct {
				Command string
				Args    []string
			}
		}
		text := launch{"bank", argv}.json()
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s := doc.MCPServers["bank"]
		if got := append([]string{s.Command}, s.Args...); !slices.Equal(got, argv) {
			t.Errorf("got  %q\nwant %q", got, argv)
		}
	}
}

// In TOML 1.0 a basic string has the escapes of Go, and neither line breaks nor
// DEL stand in it as they are; so Go can read ours back.
func TestQuotingTOML(t *testing.T) {
	for _, argv := range awkward {
		lines := strings.Split(launch{"bank", argv}.toml(), "\n")
		if len(lines) != 4 || lines[0] != "[mcp_servers.bank]" {
			t.Fatalf("%q", lines)
		}
		text := strings.TrimPrefix(lines[1], "command = ") + strings.TrimPrefix(lines[2], "args = ")
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			t.Errorf("a control character in %q", text)
		}
		var got []string
		for i := strings.IndexByte(text, '"'); i >= 0; i = strings.IndexByte(text, '"') {
			word, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				t.Fatalf("%v: %s", err, text[i:])
			}
			plain, err := strconv.Unquote(word)
			if err != nil {
				t.Fatal(err)
			}
			got, text = append(got, plain), text[i+len(word):]
		}
		if !slices.Equal(got, argv) {
			t.Errorf("got  %q\nwant %q", got, argv)
		}
	}
}

func TestQuotingShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh on PATH")
	}
	for _, argv := range awkward {
		line := launch{"bank", argv}.shell()
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, argv) {
			t.Errorf("got  %q\nwant %q", got, argv)
		}
	}
}

func TestQuotedString(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := strings.ToValidUTF8(rapid.String().Draw(rt, "text"), "?")
		var got string
		if err := json.Unmarshal([]byte(quotedString(want)), &got); err != nil || got != want {
			rt.Fatalf("%q became %q, %v", want, got, err)
		}
	})
}

func TestProgram(t *testing.T) {
	if got := (&app{self: os.Args[0]}).program(); got != absolute(os.Args[0]) && got != "licet" {
		t.Errorf("got %q", got)
	}
	for _, self := range []string{"no-such-program-of-licet", "/x/go-build1/exe/licet"} {
		if got := (&app{self: self}).program(); got != "licet" {
			t.Errorf("%s: got %q", self, got)
		}
	}
}

func TestBoundDirs(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"data", "more", "st*r"} {
		if err := os.Mkdir(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("data", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.ToSlash(filepath.Join(root, name)) }
	for _, tt := range []struct {
		workspace string
		args      []string
		want      []string
	}{
		{"", []string{"-y", "@x/server", at("data"), at("none")}, []string{at("data")}},
		{"", []string{"--root=" + at("more"), at("link"), at("data")}, []string{at("data"), at("more")}},
		{at("more"), []string{at("data")}, []string{at("more")}},
		{"", nil, nil},
	} {
		got, err := boundDirs(tt.workspace, append([]string{at("data")}, tt.args...)) // the program itself is no argument
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q %q: %q, %v, want %q", tt.workspace, tt.args, got, err, tt.want)
		}
	}
	for workspace, arg := range map[string]string{at("none"): "x", "": at("st*r")} {
		if dirs, err := boundDirs(workspace, []string{"server", arg}); err == nil {
			t.Errorf("%q %q: %q", workspace, arg, dirs)
		}
	}
}
