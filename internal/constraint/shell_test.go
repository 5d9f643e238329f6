package constraint

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

const (
	work = `{"shell": {"run": ["git status", "git push", "!git push --force", "ls", "cat", "rm", "cp", "mv", "cd", "echo", "grep", "curl", "sed -n",
		"find", "true", "licet", "tar", "/ws/bin/tool", "head"], "opaque": ["go test", "make", "${workspace}/src/run.sh", "!make install"],
		"read": ["${workspace}/**", "!${workspace}/.env"], "write": ["${workspace}/**", "!${workspace}/keys/**"],
		"net": ["git.example.org", "*.docs.example"]}}`
	forbidden = `{"shell": {"run": ["git push --force", "rm -rf", "kubectl delete ns", "sudo", "!sudo -l"], "read": ["${home}/.ssh/**"],
		"write": ["${workspace}/keys/**"], "net": ["evil.example", "*.evil.example"]}}`
)

// shellTable is judged in the world home, in /ws/src, on each side by the same
// spec.
var shellTable = []struct {
	spec                              string
	permits, refuses, forbids, passes []string
}{
	{
		spec: work,
		permits: []string{
			"", "# nothing", "ls", "ls -la ..", "git status --short", "git -C /ws/src status", "g''it status", "/usr/bin/git status", "cat main.go | head -3",
			"rm -rf main.go", "rm -r /ws/src", "cd .. && rm a.txt", "echo x > new.txt", "cp main.go copy.go", "sed -n 1p main.go", "sed -n -e 1p main.go",
			"go test ./...", "make", "./run.sh", "cd /ws && src/run.sh", "git push origin", "curl https://a.docs.example/x", "echo 'rm -rf /' ; true",
			"find . -delete", "cat /dev/null", "/ws/src/run.sh a b", "cat .env",
		},
		refuses: []string{
			"git", "git log", "git push --force origin", "git push -f origin", "git push origin --forc", "git push other", "env ls", "./ls", "/ws/bin/ls", "sudo ls", "sh run.sh",
			"cat /etc/passwd", "cat /ws/.env", "cat ../.env", "cat /ws/out/passwd", "cat \"$X\"", "$X", "rm \"$X\"", "rm -r /ws", "rm -r /ws/keys", "rm ../keys/env",
			"echo x > /ws/CLAUDE.md", "echo x > ../.git/config", "cp -r /ws/src /ws/keys", "cd / && rm tmp/x", "curl https://docs.example/", "curl https://evil.example/",
			"curl \"$URL\"", "licet approvals", "/ws/bin/licet x", "./LICET", "make install", "make -s install", "make \"$X\"", "python3 x.py", "ls | sh", "echo x | python3", "eval \"$X\"",
			"ls $(id)", "(", "ls\rrm", "tar xf a.tar", "sed 1p main.go", "sed -n 'w /etc/motd' main.go", "PATH=/x ls", "ls & sudo ls", "tool", "run.sh", "/ws/other/run.sh",
			"cd /ws; src/run.sh", "cd /ws/bin; ../run.sh", "git push", "sed -n e main.go",
		},
	},
	{
		spec: forbidden,
		forbids: []string{
			"git push --force", "git push origin main -f", "ls; git push origin --force", "git -C x push --forc origin", "git push \"$X\"", "rm -rf x", "rm -r -f x", "rm -fr x", "rm x -f --recursive",
			"env rm -rf x", "find . -exec rm -rf {} +", "/bin/rm -rf x", "./rm -rf x", "RM -rf x", "kubectl delete ns prod", "kubectl --context x delete --wait ns a", "sudo ls", "sudo -l; sudo ls",
			"cat ~/.ssh/id", "cat ~/.SSH/id", "cat ~/.ss?/id", "grep -r x ~", "cat \"$F\"", "ls > /ws/keys/x", "rm -r /ws", "cp a ../KEYS/x", "curl http://evil.example", "curl https://a.evil.example:8443/x",
			"curl \"$U\"", "$X", "eval \"$X\"", "echo x | sh", "(", "PATH=/x ls", "rm \"$X\"", "git push -u origin main --force",
		},
		passes: []string{
			"", "ls", "git push origin main", "git push --force-with-lease origin", "rm x", "rm -r x", "rm -f x", "echo rm -rf x", "grep -rn 'rm -rf' .", "git commit -m 'push --force'", "git commit -m \"$X\"",
			"kubectl get ns", "kubectl delete pod ns1", "sudo -l", "cat /ws/.env", "cat ~/.sshx", "ls ~", "echo x > a.txt", "rm -r /ws/src", "curl https://notevil.example", "curl https://evil.example.org",
			"make", "go test ./...", "./run.sh", "cat ~/ssh/id", "ls /ws/keys",
		},
	},
	{ // what belongs to running git is asked of no pattern
		spec:    `{"shell": {"run": ["git commit", "git diff", "cd"]}}`,
		permits: []string{"git commit -m x", "cd / && git diff"},
		refuses: []string{"git -C / diff", "git commit -F x", "git commit -m x > log", "git diff --output=x", "git config user.name x"},
	},
	{
		spec:    `{"shell": {"read": ["${workspace}/**"], "write": ["${workspace}/src/.git/**"]}}`,
		forbids: []string{"rm .git/index", "git config user.name x", "git add new.txt", "cat a.txt"},
		passes:  []string{"git commit -m x", "cd / && git commit -m x", "git show HEAD:main.go", "git diff --stat"},
	},
}

func TestShell(t *testing.T) {
	for _, tt := range shellTable {
		s := compile(t, tt.spec, local)
		for i, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, command := range list {
				permits, forbids, why := home.sides(s, argument(t, quote(command), false))
				if i < 2 && permits != (i == 0) {
					t.Errorf("permits %q: %t (%s)", command, permits, why)
				}
				if i >= 2 && forbids != (i == 2) {
					t.Errorf("forbids %q: %t (%s)", command, forbids, why)
				}
			}
		}
	}
}

// TestShellPrograms: the bare name of a program does not name a file that the agent
// could have put there, and the reason says what does.
func TestShellPrograms(t *testing.T) {
	w := home
	w.programs = map[string]Program{
		"head":   {File: "/usr/bin/head", Way: []string{"/usr/bin/head"}},
		"tail":   {File: "/home/u/.local/bin/tail", Way: []string{"/home/u/.local/bin/tail"}},
		"pytest": {File: "/ws/.venv/bin/pytest", Way: []string{"/ws/.venv/bin/pytest"}},
		"python": {File: "/ws/.venv/bin/python", Way: []string{"/ws/.venv/bin/python", "/usr/bin/python3"}},
		"linked": {File: "/usr/bin/linked", Way: []string{"/usr/bin/linked", "/ws/tool"}},
		"wc":     {File: "/opt/x/bin/wc", Way: []string{"/opt/x/bin/wc"}},
		"out":    {File: "/mnt/data/bin/out", Way: []string{"/mnt/data/bin/out"}},
		"odd":    {File: "/usr/bin/odd", Way: []string{"/usr/bin/odd"}, Doubt: "it may be another"},
	}
	for _, tt := range []struct{ run, opaque, write, command, why string }{
		{`head`, ``, `${workspace}/**`, `head`, ``},
		{`tail`, ``, `${workspace}/**`, `tail`, ``},
		{`tail`, ``, ``, `tail`, ``},
		{`tail`, ``, `${home}/.local/bin/**`, `tail -1`, `execute tail -1: tail leads to ${home}/.local/bin/tail, and ${home}/.local/bin/tail may be written: if that file is meant, name it by its path`},
		{`tail`, ``, `${home}/.local/bin/*`, `tail`, `may be written`},
		{`tail`, ``, `${home}/*/bin/tail`, `tail`, `may be written`},
		{`tail`, ``, `${home}/.local`, `tail`, `may be written`}, // moved away, and another folder in its place
		{`tail`, ``, `${home}/.LOCAL/**`, `tail`, `may be written`},
		{`tail`, ``, `${home}/.local/bin/other`, `tail`, ``},
		{`tail`, ``, `${home}/** !${home}/.local/bin/**`, `tail`, ``},
		{`tail`, ``, `${home}/** !${home}/.local/bin/other`, `tail`, `may be written`},
		{`tail`, ``, `${home}/**`, `/usr/bin/tail`, ``}, // no name to look up
		{`tail`, ``, `${home}/**`, `env tail`, `run does not name`},
		{`env tail`, ``, `${home}/**`, `env tail`, `run does not name`},
		{`${home}/.local/bin/tail`, ``, `${home}/**`, `tail -1`, ``},
		{`${home}/.local/bin/tail`, ``, ``, `tail -1`, ``},
		{`${home}/bin/tail`, ``, ``, `tail`, `run does not name`},
		{`/usr/bin/head`, ``, `${workspace}/**`, `head`, ``},
		{`tail,!${home}/.local/bin/tail`, ``, ``, `tail`, `run does not name`},
		{`pytest`, ``, `${workspace}/**`, `pytest`, `name it by its path`},
		{`head`, `pytest`, `${workspace}/**`, `pytest -q`, `pytest leads to ${workspace}/.venv/bin/pytest, and`},
		{`head`, `${workspace}/.venv/bin/pytest`, `${workspace}/**`, `pytest -q`, ``},
		{`pytest`, `${workspace}/.venv/bin/pytest`, `${workspace}/**`, `pytest -q`, ``},
		{`head`, `pytest`, `${workspace}/** !${workspace}/.venv/**`, `pytest -q`, ``},
		{`head`, `python`, `${workspace}/**`, `python -V`, `${workspace}/.venv/bin/python may be written`},
		{`linked`, `linked`, `${workspace}/**`, `linked`, `linked leads to /usr/bin/linked, and ${workspace}/tool may be written`},
		{`wc`, ``, `/opt/x/bin`, `wc`, `and /opt/x/bin/wc may be written`},
		{`wc`, ``, `/opt/y/**`, `wc`, ``},
		{`out`, `out`, `/data/**`, `out`, `and /mnt/data/bin/out may be written`}, // the pattern's link is followed
		{`odd`, `odd`, ``, `odd`, `execute odd: it may be another`},
		{`/usr/bin/odd`, `/usr/bin/odd`, ``, `odd`, `it may be another`},
		{`nowhere`, `nowhere`, `${workspace}/**`, `nowhere`, ``},
	} {
		list := func(word, entries, by string) string {
			if entries == "" {
				return ""
			}
			return fmt.Sprintf(`, %q: ["%s"]`, word, strings.Join(strings.Split(entries, by), `", "`))
		}
		spec := `{"shell": {` + strings.TrimPrefix(list("run", tt.run, ",")+list("opaque", tt.opaque, ",")+list("write", tt.write, " ")+`, "read": ["/**"]`, ", ") + `}}`
		permits, _, why := w.sides(compile(t, spec, local), argument(t, quote(tt.command), false))
		if permits != (tt.why == "") || !strings.Contains(why.String(), tt.why) && !permits {
			t.Errorf("%s: %q: permitted %t: %s", spec, tt.command, permits, why)
		}
	}
	never := compile(t, `{"shell": {"run": ["tail", "odd"]}}`, local)
	for _, command := range []string{"tail", "odd", "env tail"} {
		if _, forbids, _ := w.sides(never, argument(t, quote(command), false)); !forbids {
			t.Errorf("never: %q is not forbidden", command)
		}
	}
}

// TestAmong: what other clauses let the agent write counts, where a write needs
// nobody else.
func TestAmong(t *testing.T) {
	w := home
	w.programs = map[string]Program{"tail": {File: "/home/u/bin/tail", Way: []string{"/home/u/bin/tail"}}}
	for spec, want := range map[string]bool{
		`{"path": {"write": ["${home}/bin/**"]}}`:                                false,
		`{"path": {"write": ["${home}/docs/**"]}}`:                               true,
		`{"path": {"read": ["${home}/bin/**"]}}`:                                 true,
		`{"shell": {"run": ["cp"], "write": ["${home}/**"]}}`:                    false,
		`{"shell": {"run": ["cp"], "write": ["${home}/**", "!${home}/bin/**"]}}`: true,
		`{"max": 1}`: true,
	} {
		s := compile(t, `{"shell": {"run": ["tail"]}}`, local).Among([]*Set{compile(t, spec, local)})
		if permits, _, why := w.sides(s, argument(t, `"tail"`, false)); permits != want {
			t.Errorf("beside %s: %t (%s)", spec, permits, why)
		}
	}
	remote := compile(t, `{"path": {"write": ["/home/u/**"]}}`, Env{})
	s := compile(t, `{"shell": {"run": ["tail"]}}`, local).Among([]*Set{remote})
	if permits, _, why := w.sides(s, argument(t, `"tail"`, false)); !permits {
		t.Errorf("files of another machine count: %s", why)
	}
}

// TestShellUnknown: a command about which nothing is known, and a value that is no
// text, are on the safe side.
func TestShellUnknown(t *testing.T) {
	blind := home
	blind.blind = true
	for _, spec := range []string{work, forbidden} {
		s := compile(t, spec, local)
		for _, x := range []struct {
			w    world
			text string
		}{{blind, `"ls"`}, {home, `1`}, {home, `["ls"]`}, {home, `{}`}, {home, `true`}} {
			if permits, forbids, _ := x.w.sides(s, argument(t, x.text, false)); permits || !forbids {
				t.Errorf("%s: permits %t, forbids %t", x.text, permits, forbids)
			}
		}
	}
}

// TestShellRefused: where a constraint on commands cannot stand.
func TestShellRefused(t *testing.T) {
	if _, err := New(value(t, work), Env{}); err == nil || !strings.Contains(err.Error(), "resolve: none") {
		t.Errorf("without the files: %v", err)
	}
	if err := compile(t, work, local).NeverUsable(); err == nil || !strings.Contains(err.Error(), "opaque vouches") {
		t.Errorf("opaque in never: %v", err)
	}
	if err := compile(t, forbidden, local).NeverUsable(); err != nil {
		t.Errorf("in never: %v", err)
	}
	if s := compile(t, work, local); !s.MayWrite("/ws/x", home.places) || s.MayWrite("/ws/keys/x", home.places) {
		t.Error("write is not looked at")
	}
}

// TestBeside: what one constraint covers of a command and what another does add
// up, and no more.
func TestBeside(t *testing.T) {
	allow := compile(t, `{"shell": {"run": ["ls"], "opaque": ["go test"], "read": ["${workspace}/**"]}}`, local)
	ask := compile(t, `{"shell": {"run": ["git push"], "net": ["git.example.org"]}}`, local)
	both := ask.Beside([]*Set{allow, compile(t, `{"length": {"max": 3}}`, local)})
	for command, want := range map[string][2]bool{
		"git push origin":                  {true, true},
		"go test ./... && git push origin": {false, true},
		"ls; git push origin":              {false, true},
		"ls":                               {false, true},
		"rm x; git push origin":            {false, false},
		"ls; git push other":               {false, false},
	} {
		sel := argument(t, quote(command), false)
		a := home.answer(append(ask.Questions(sel), allow.Questions(sel)...))
		alone, _ := ask.Permits(sel, a)
		joined, _ := both.Permits(sel, a)
		if alone != want[0] || joined != want[1] {
			t.Errorf("%s: alone %t, beside the other %t", command, alone, joined)
		}
	}
}

// TestCommands: the coverage of single effects says what the whole does.
func TestCommands(t *testing.T) {
	for _, tt := range shellTable {
		s := compile(t, tt.spec, local)
		for _, command := range append(tt.permits, append(tt.refuses, append(tt.forbids, tt.passes...)...)...) {
			sel := argument(t, quote(command), false)
			a := home.answer(s.Questions(sel))
			permits, _ := s.Permits(sel, a)
			forbids, _ := s.Forbids(sel, a)
			covered, matched := true, false
			for _, c := range s.Commands(command, a, false) {
				covered = covered && c.Holds && c.By != "" || covered && c.Holds
				if c.Holds == (c.Why != "") {
					t.Errorf("%s: %+v", command, c)
				}
			}
			for _, c := range s.Commands(command, a, true) {
				matched = matched || c.Holds
			}
			if covered != permits || matched != forbids {
				t.Errorf("%s: permits %t but covered %t, forbids %t but matched %t", command, permits, covered, forbids, matched)
			}
		}
	}
}

// TestShellJoined: a command joined to another never turns a match off, and never
// makes one permitted that was not.
func TestShellJoined(t *testing.T) {
	permitting, never := compile(t, work, local), compile(t, forbidden, local)
	var all []string
	for _, tt := range shellTable {
		for _, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, command := range list {
				if !strings.ContainsAny(command, "#") {
					all = append(all, command)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SampledFrom(all).Draw(t, "a"), rapid.SampledFrom(all).Draw(t, "b")
		judge := func(command string) (bool, bool) {
			sel := toolcall.Selection{Values: []toolcall.Value{toolcall.StringOf(command)}}
			permits, _, _ := home.sides(permitting, sel)
			_, forbids, _ := home.sides(never, sel)
			return permits, forbids
		}
		for _, joined := range []string{a + "\n" + b, b + "; " + a} {
			permitsOne, forbidsOne := judge(a)
			permits, forbids := judge(joined)
			if permits && !permitsOne {
				t.Errorf("%q is permitted, %q was not", joined, a)
			}
			if forbidsOne && !forbids {
				t.Errorf("%q is not forbidden, %q was", joined, a)
			}
		}
	})
}

// FuzzShell: of two commands that can be read, one after the other, nothing is
// permitted that was not alone, and nothing escapes a never clause that did not
// alone. Each runs in a shell of its own, so that one cannot change what the other
// means.
func FuzzShell(f *testing.F) {
	for _, tt := range shellTable {
		for _, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for i, command := range list {
				f.Add(command, list[(i+5)%len(list)])
			}
		}
	}
	permitting, never := compile(f, work, local), compile(f, forbidden, local)
	judge := func(command string) (permits, forbids bool) {
		sel := toolcall.Selection{Values: []toolcall.Value{toolcall.StringOf(command)}}
		permits, _, _ = home.sides(permitting, sel)
		_, forbids, _ = home.sides(never, sel)
		return permits, forbids
	}
	f.Add("0", `"0"#0"$0"`) // the parser takes a word of a subshell for a comment
	f.Fuzz(func(t *testing.T, a, b string) {
		if !endsItself(a) || !endsItself(b) {
			return // together they may be something else
		}
		permits, forbids := judge("(" + a + "\n)\n(" + b + "\n)")
		for _, alone := range []string{a, b} {
			permitsAlone, forbidsAlone := judge(alone)
			if permits && !permitsAlone {
				t.Errorf("%q and %q are permitted, %q alone is not", a, b, alone)
			}
			if forbidsAlone && !forbids {
				t.Errorf("%q and %q are not forbidden, %q alone is", a, b, alone)
			}
		}
	})
}

// endsItself reports whether a text is commands that can be read, and end where it
// ends.
func endsItself(text string) bool {
	for _, command := range []string{text, "(" + text + "\n)"} {
		a := shell.Analyze(command, shell.Env{})
		if len(a.Commands) == 1 && len(a.Effects) == 1 && a.Effects[0].Kind == shell.Unknown && !a.Effects[0].Opaque {
			return false
		}
	}
	return !strings.HasSuffix(text, `\`)
}
