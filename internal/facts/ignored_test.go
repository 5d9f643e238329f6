package facts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestIgnored: git leaves out of what it takes the files that it certainly ignores.
// What is excluded from reading is .env.
func TestIgnored(t *testing.T) {
	const rule = ".env\n"
	for _, tt := range []struct {
		about   string
		files   map[string]string
		command string
		want    bool
	}{
		{"a rule", map[string]string{".gitignore": rule}, "git add .", true},
		{"all", map[string]string{".gitignore": rule}, "git add -A && git commit -m x", true},
		{"from a folder below", map[string]string{".gitignore": rule, "sub/.env": "x"}, "cd sub && git add .", true},
		{"a rule with a wildcard", map[string]string{".gitignore": "# secrets\n\n.e*\n"}, "git add -- .", true},
		{"a rule from the top", map[string]string{".gitignore": "/.env\n"}, "git add .", true},
		{"no rule", nil, "git add .", false},
		{"a rule for others", map[string]string{".gitignore": ".env.local\n"}, "git add .", false},
		{"a rule for folders", map[string]string{".gitignore": ".env/\n"}, "git add .", false},
		{"a rule for another place", map[string]string{".gitignore": "sub/.env\n"}, "git add .", false},
		{"a rule below", map[string]string{"sub/.gitignore": rule}, "git add .", false},
		{"a rule taken back", map[string]string{".gitignore": rule + "!.env\n"}, "git add .", false},
		{"others taken back", map[string]string{".gitignore": rule + "!keep\n"}, "git add .", false},
		{"a rule that is not plain", map[string]string{".gitignore": ".en[v]\n"}, "git add .", false},
		{"a rule with a blank", map[string]string{".gitignore": ".env \n"}, "git add .", false},
		{"a rule of git's own folder", map[string]string{".git/info/exclude": rule}, "git add .", false},
		{"too long", map[string]string{".gitignore": rule + strings.Repeat("#\n", maxIgnoreFile)}, "git add .", false},
		{"told to take it", map[string]string{".gitignore": rule}, "git add -f .", false},
		{"told to, in full", map[string]string{".gitignore": rule}, "git add --force -A", false},
		{"named", map[string]string{".gitignore": rule}, "git add .env", false},
		{"another program", map[string]string{".gitignore": rule}, "grep -r x .", false},
		{"all of a stash", map[string]string{".gitignore": rule}, "git stash -a", false},
		{"the line changes the rule", map[string]string{".gitignore": rule}, "rm .gitignore; git add .", false},
		{"the line writes at all", map[string]string{".gitignore": rule}, "touch x && git add .", false},
		{"the line does what is not known", map[string]string{".gitignore": rule}, "git submodule update; git add .", false},
		{"the work tree is elsewhere", map[string]string{".gitignore": rule, ".git/config": "[core]\nworkTree = sub\n"}, "git add .", false},
		{"settings of other files", map[string]string{".gitignore": rule, ".git/config": "[include]\npath = x\n"}, "git add .", false},
	} {
		d := newDisk(t, ".git/HEAD", ".git/config", ".env", "a", "sub/b")
		for name, text := range tt.files {
			d.add(name)
			d.must(os.WriteFile(filepath.Join(d.in.Workspace, name), []byte(text), 0o644))
		}
		if ok, why := d.permits(`{"shell": {"run": ["git", "cd", "rm", "touch", "grep"], "opaque": ["git submodule", "git stash"], "read": ["${workspace}/**", "!${workspace}/.env", "!${workspace}/sub/.env"], "write": ["${workspace}/**"]}}`, tt.command); ok != tt.want {
			t.Errorf("%s: %s: %t, want %t (%s)", tt.about, tt.command, ok, tt.want, why)
		}
	}
	d := newDisk(t, ".git/HEAD", ".env", "rules", ".gitignore -> rules")
	d.must(os.WriteFile(d.in.Workspace+"/rules", []byte(rule), 0o644))
	if ok, _ := d.permits(anywhere, "git add ."); ok {
		t.Error("a link to rules counts")
	}
}

// TestIgnoredAsGit: what git would take is read, whatever the rules are.
func TestIgnoredAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Missing(t, "LICET_REQUIRE_GIT", "needs git")
	}
	files := []string{"a", "b.log", "d/a", "d/e/a.log", "d/e/b", "a.d/x", "b/d"}
	rule := rapid.OneOf(rapid.SampledFrom([]string{"*.log", "a", "d/", "/b", "d/e", "e/b", "*", "/d/*.log", "a.d/", "b/d/", "# a", "*/a"}),
		rapid.StringOf(rapid.SampledFrom([]rune("aabbdde.*/l# \\"))))
	left := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := newDisk(t, files...)
		git := func(args ...string) string {
			c := exec.Command("git", append([]string{"-C", d.in.Workspace}, args...)...)
			c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.in.Home, "GIT_CONFIG_NOSYSTEM=1"}
			out, err := c.Output()
			d.must(err)
			return string(out)
		}
		git("init", "-q")
		for _, name := range []string{".gitignore", "d/.gitignore", "d/e/.gitignore"} {
			text := strings.Join(rapid.SliceOfN(rule, 0, 3).Draw(rt, name), "\n")
			if rapid.IntRange(0, 9).Draw(rt, "takes back") == 0 {
				text += "\n!a*\n"
			}
			d.must(os.WriteFile(filepath.Join(d.in.Workspace, name), []byte(text), 0o644))
		}
		var read []string
		for _, e := range d.answer("git add .").Effects {
			for _, f := range e.Files {
				if e.Kind == shell.Read {
					read = append(read, strings.TrimPrefix(f.Path, d.in.Workspace+"/"))
				}
			}
		}
		for name := range strings.Lines(git("ls-files", "--others", "--exclude-standard")) {
			if name = strings.TrimSpace(name); !slices.Contains(read, name) {
				rt.Errorf("git takes %s, and it is said to be left out", name)
			}
		}
		for _, name := range files {
			if !slices.Contains(read, name) {
				left++
			}
		}
	})
	if left < len(files) {
		t.Errorf("%d files were left out: the test is not looking", left)
	}
}
