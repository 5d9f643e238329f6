package constraint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

const (
	readAll  = `{"path": {"read": ["${workspace}/**", "!${workspace}/.git/**", "!${workspace}/.env"]}}`
	writeAll = `{"path": {"write": ["${workspace}/**", "!${workspace}/keys/**"]}}`
	names    = `{"path": {"read": ["/srv/*.txt", "/srv/*/log-*-*", "!/srv/*/log-*-secret"]}}`
	linked   = `{"path": {"read": ["/data/**", "!/data/private/**"]}}`
	named    = `{"path": {"write": ["${workspace}/**", "${workspace}/.claude/settings.json", "${workspace}/.git/config"]}}`
	based    = `{"path": {"read": ["${workspace}/**"], "base": "${workspace}/src"}}`
)

// pathTable is judged in the world home, on each side by the same spec.
var pathTable = []struct {
	spec                              string
	permits, refuses, forbids, passes []string
}{
	{
		spec: readAll,
		permits: []string{"/ws/a.txt", "main.go", "./main.go", "../a.txt", "/ws/src/../a.txt", "/ws//a.txt", "/ws/in/main.go", "/ws/new/deep/file",
			"/ws/.gitignore", "/ws/sub/.git/x", "/ws/a b", "/ws/.hidden", "/ws/keys/other"},
		refuses: []string{"", "/ws", "/ws/", "/wsx/a", "/etc/passwd", "../../etc/passwd", "/ws/out/passwd", "/ws/.git", "/ws/.git/config", "/ws/.GIT/config",
			"/ws/.g\u200dit/config", "/ws/.env", "/ws/keys/env", "/ws/.ENV", "/ws/null", "/ws/self", "~/a", "$HOME/a", "%HOME%", "/ws/a\x00", "/ws/a\\b", " /ws/a",
			"/ws/a ", "\"/ws/a\"", "/ws/.env'", "file:/ws/a", "file:///ws/a", "https://ws/a", "/dev/null", "/proc/self/root/ws/a", "/proc/12/cwd/a", "/ws/a\nb"},
		forbids: []string{"/ws/a.txt", "main.go", "/ws", "/", "/ws/in/main.go", "/ws/.git", "/ws/keys/env", "/ws/.env", "/ws/.env ", "~", "/dev/null", "/proc/self/x", "/ws/a\\b"},
		passes:  []string{"/ws/.git/config", "/ws/.git/a/b", "/wsx", "/etc/passwd", "../../etc", "/ws/out/passwd", "/home/u/.ssh/id", "/tmp/x", "/srv", "/proc/cpuinfo", "/proc"},
	},
	{
		spec:    writeAll,
		permits: []string{"/ws/a.txt", "main.go", "/ws/new", "/ws/in/x", "/ws/a/b/c", "/ws/keysx", "/ws/claude.md.txt", "/ws/git/config", "/ws/agents/md", "/ws/profile"},
		refuses: []string{"", "/ws", "/ws/keys", "/ws/keys/x", "/ws/.env", "/ws/cfg", "/ws/cfg/settings.json", "/ws/.claude", "/ws/.claude/settings.json", "/ws/.CLAUDE/x",
			"/ws/sub/CLAUDE.md", "/ws/AGENTS.md", "/ws/.git/hooks/pre-commit", "/ws/.github", "/ws/.github/hooks/x.json", "/ws/x.code-workspace", "/ws/licet.yaml",
			"/ws/sub/.licet/db", "/ws/.bashrc", "/ws/.m\u200bcp.json", "/ws/out/x", "/", "/ws/linked/.codex/config.toml"},
		forbids: []string{"/ws/a.txt", "/ws", "/", "/ws/.claude/x", "/ws/keys", "/ws/new", "src", "~/x", "/ws/null", "."},
		passes:  []string{"/ws/keys/x", "/etc/passwd", "/ws/out/x", "/ws/.env", "/home/u", "/home", "/wsx/a", "/tmp", "/srv/x", "/ws/keys/env"},
	},
	{
		spec:    names,
		permits: []string{"/srv/a.txt", "/srv/.txt", "/srv/a.b.txt", "/srv/d/log-1-2", "/srv/d/log--", "/srv/d/log-a-b-c", "/srv/é.txt", "/srv/a/../b.txt", "/srv/d/log-1-secrets", "/srv/d/log-é-x"},
		refuses: []string{"", "/srv", "/srv/a", "/srv/a.txt/b", "/srv/d/a.txt", "/srv/d/log-1", "/srv/d/log-1-secret", "/srv/d/log-1-SECRET", "/srv/d", "/srv/A.TXT", "/srv/d/e/log-1-2"},
		forbids: []string{"/srv/a.txt", "/srv", "/srv/d", "/srv/d/log-1-2", "/srv/d/log--", "/", "/srv/A.TXT", "/srv/d/LOG-1-2", "/srv/.txt", "/srv/x\u200b.txt"},
		passes:  []string{"/srv/d/log-1-secret", "/srv/d/a.txt", "/srv/a.txt/b", "/srv/d/log-1", "/etc", "/ws", "/srv/d/e/f", "/srvx/a.txt", "/tmp/a.txt", "/srv/d/e/log-1-2"},
	},
	{
		spec:    linked,
		permits: []string{"/data/a", "/mnt/data/a", "/data/a/b", "/mnt/data/x", "/data/../data/a", "/data/public", "/data/privat", "/data/.x", "/data/a b", "/data/privates"},
		refuses: []string{"/mnt", "/data/private", "/data/private/x", "/mnt/data/private/x", "/mnt/data/PRIVATE/x", "/mnt/other", "/ws/a", "/data/..", "/datax", "", "/data"},
		forbids: []string{"/data", "/data/a", "/mnt/data", "/mnt/data/a", "/mnt", "/", "/data/private", "/mnt/data/PRIVATE/x", "/data/private/../a", "/mnt/data/x/y"},
		passes:  []string{"/data/private/x", "/mnt/data/private/x", "/mnt/other", "/ws/a", "/mntx", "/etc", "/ws", "/tmp/data", "/mnt/database", "/home/u"},
	},
	{
		spec:    named,
		permits: []string{"/ws/.claude/settings.json", "/ws/.git/config", "/ws/cfg/settings.json", "/ws/a.txt"},
		refuses: []string{"/ws/.claude/settings.local.json", "/ws/.claude", "/ws/.git/hooks/x", "/ws/.CLAUDE/settings.json", "/ws/sub/.claude/settings.json"},
	},
	{
		spec:    based,
		permits: []string{"main.go", "../a.txt", "/ws/a.txt", "sub/x", "./y"},
		refuses: []string{"../../etc/passwd", "../out/x", "/etc/passwd", ""},
	},
	{
		spec:    `{"path": {"read": ["${workspace}", "${tmp}/*", "/etc/hosts", "/**", "!/etc/**", "!/ws/**", "!/tmp/a*/**"]}}`,
		permits: []string{"/srv/x", "/tmp/b", "/home/u/x"},
		refuses: []string{"/", "/ws", "/etc/hosts", "/tmp/abc", "/tmp/abc/d", "/tmp"},
	},
}

func quote(s string) string { return toolcall.StringOf(s).Canonical() }

func TestPath(t *testing.T) {
	for _, tt := range pathTable {
		s := compile(t, tt.spec, local)
		for i, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, text := range list {
				permits, forbids, why := home.sides(s, argument(t, quote(text), false))
				if i < 2 && permits != (i == 0) {
					t.Errorf("%s permits %q: %t (%s)", tt.spec, text, permits, why)
				}
				if i >= 2 && forbids != (i == 2) {
					t.Errorf("%s forbids %q: %t (%s)", tt.spec, text, forbids, why)
				}
			}
		}
	}
}

// TestPathUnknown: nothing permits and everything forbids where a path, a
// place or a directory of a pattern is not known.
func TestPathUnknown(t *testing.T) {
	blind, placeless := home, home
	blind.blind = true
	placeless.places = Places{}
	for _, tt := range []struct {
		w    world
		spec string
		text string
	}{
		{blind, readAll, "/ws/a.txt"}, {blind, linked, "/data/a"}, {blind, `{"path": {"read": ["/**"]}}`, "/x"},
		{placeless, readAll, "/ws/a.txt"}, {placeless, `{"path": {"read": ["/ws/**", "!${home}/x"]}}`, "/ws/a.txt"},
	} {
		s := compile(t, tt.spec, local)
		permits, forbids, _ := tt.w.sides(s, argument(t, quote(tt.text), false))
		if permits || !forbids {
			t.Errorf("%s, %s: permits %t, forbids %t", tt.spec, tt.text, permits, forbids)
		}
	}
	// Only the directory of a pattern is unknown.
	s := compile(t, linked, local)
	sel := argument(t, `"/mnt/data/a"`, false)
	a := home.answer(s.Questions(sel))
	delete(a.Files, fileQuestion("/data", "").Key)
	if ok, _ := s.Permits(sel, a); ok {
		t.Error("permits below a directory that is not known")
	}
	if ok, _ := s.Forbids(sel, a); !ok {
		t.Error("does not forbid below a directory that is not known")
	}
	// A relative path without a directory to count from.
	homeless := home
	homeless.cwd = ""
	if permits, forbids, _ := homeless.sides(compile(t, readAll, local), argument(t, `"main.go"`, false)); permits || !forbids {
		t.Errorf("relative to nothing: permits %t, forbids %t", permits, forbids)
	}
}

// TestPathSpecialPattern: patterns for what is special anyway leave the rest
// as it is.
func TestPathSpecialPattern(t *testing.T) {
	w := home
	w.special = "/dev"
	s := compile(t, `{"path": {"read": ["/srv/**", "/dev/**", "!/dev/shm/**"]}}`, local)
	for text, want := range map[string][2]bool{"/srv/x": {true, true}, "/dev/x": {false, true}, "/dev/shm/x": {false, true}, "/etc": {false, false}} {
		permits, forbids, why := w.sides(s, argument(t, quote(text), false))
		if got := [2]bool{permits, forbids}; got != want {
			t.Errorf("%s: permits and forbids %v (%s)", text, got, why)
		}
	}
}

// TestPathLinkInWorkspace: a pattern below a place does not follow a link that
// an agent may have put there, an exclusion does.
func TestPathLinkInWorkspace(t *testing.T) {
	w := home
	w.links = map[string]string{"/ws/build": "/etc", "/ws/secret": "/ws/plain", "/tmp/l": "/etc"}
	for spec, want := range map[string]bool{
		`{"path": {"write": ["${workspace}/build/**"]}} /etc/passwd`:                     false,
		`{"path": {"write": ["/ws/build/**"]}} /etc/passwd`:                              false,
		`{"path": {"write": ["/tmp/l/**"]}} /etc/passwd`:                                 false,
		`{"path": {"write": ["/ws/**"]}} /ws/plain/x`:                                    true,
		`{"path": {"write": ["/*s/**"]}} /ws/plain/x`:                                    true,
		`{"path": {"write": ["${workspace}/build/**"]}} /ws/build/x`:                     false,
		`{"path": {"read": ["${workspace}/**"]}} /ws/plain/x`:                            true,
		`{"path": {"read": ["${workspace}/**", "!${workspace}/secret/**"]}} /ws/plain/x`: false,
		`{"path": {"read": ["${workspace}/**", "!${workspace}/secret"]}} /ws/plain`:      false,
	} {
		spec, text, _ := strings.Cut(spec, "} /")
		if permits, _, _ := w.sides(compile(t, spec+"}", local), argument(t, quote("/"+text), false)); permits != want {
			t.Errorf("%s} permits /%s: %t", spec, text, permits)
		}
	}
}

func TestPathFolding(t *testing.T) {
	for _, tt := range []struct {
		text             string
		folding, keeping bool // permits where the file system folds, and where not
	}{
		{"/ws/a.txt", true, true}, {"/WS/a.txt", true, false}, {"/ws/x.", false, true}, {"/ws/x ./y", false, true},
		{"/ws/a:b", false, true}, {"/ws/LONGNA~1/x", false, true}, {"/ws/dot.d/x", true, true}, {"/ws/e\u0301/x", true, true},
	} {
		for _, fold := range []bool{true, false} {
			w := home
			w.fold = fold
			want := map[bool]bool{true: tt.folding, false: tt.keeping}[fold]
			s := compile(t, `{"path": {"read": ["${workspace}/**"]}}`, local)
			if permits, _, why := w.sides(s, argument(t, quote(tt.text), false)); permits != want {
				t.Errorf("%s, folding %t: permits %t (%s)", tt.text, fold, permits, why)
			}
		}
	}
	w := home
	w.fold = true
	s := compile(t, `{"path": {"read": ["/ws/Caf\u00e9/**"]}}`, local)
	for text, want := range map[string]bool{"/ws/cafe\u0301/x": true, "/ws/CAFé/x": true, "/ws/CAFÉ/x": false, "/ws/cafe/x": false} {
		if permits, _, _ := w.sides(s, argument(t, quote(text), false)); permits != want {
			t.Errorf("%s: permits %t", text, permits)
		}
	}
}

// TestPathAsText is what holds where the gate cannot see the server's files.
func TestPathAsText(t *testing.T) {
	const spec = `{"path": {"write": ["/srv/**", "C:/data/**", "!/srv/Keys/**", "/srv/.mcp.json"]}}`
	for text, want := range map[string]bool{
		"/srv/a": true, "/srv/a/b.txt": true, "C:/data/x": true, "/srv/.mcp.json": true, "/srv/dot.": true,
		"/srv/a/": false, "/srv/../etc": false, "/srv/./a": false, "/srv//a": false, "srv/a": false, "a": false, "/srv/a\\..\\b": false,
		"/srv/keys/x": false, "/srv": false, "C:/data/..": false, "C:/data/nul.txt": false, "C:/data/x.": false, "c:/data/x": false, "C:\\data\\x": false,
		"/srv/.claude/x": false, "/srv/x/.mcp.json": false, "file:///srv/a": false, "/dev/srv": false, "~/srv": false, "": false,
	} {
		s := compile(t, spec, Env{})
		sel := argument(t, quote(text), false)
		if qs := s.Questions(sel); len(qs) != 0 {
			t.Fatalf("asks %v", qs)
		}
		if ok, why := s.Permits(sel, Answers{}); ok != want {
			t.Errorf("%s: %t (%s)", text, ok, why)
		}
	}
	never := compile(t, `{"path": {"read": ["/etc/**"]}}`, Env{})
	for text, want := range map[string]bool{"/etc/passwd": true, "/ETC/passwd": true, "/srv/../etc": true, "x": true, "/srv/x": false, "/etcx": false} {
		if ok, _ := never.Forbids(argument(t, quote(text), false), Answers{}); ok != want {
			t.Errorf("never, %s: %t", text, ok)
		}
	}
}

// TestPathLeaf: what is known to be no directory has nothing below it.
func TestPathLeaf(t *testing.T) {
	s := compile(t, `{"path": {"read": ["/ws/**", "!/ws/*/secret"]}}`, local)
	for text, want := range map[string]bool{"/ws/a.txt": true, "/ws/new.txt": false, "/ws/src": false, "/ws/src/main.go": true, "/ws/src/secret": false} {
		if permits, _, why := home.sides(s, argument(t, quote(text), false)); permits != want {
			t.Errorf("%s: %t (%s)", text, permits, why)
		}
	}
}

func TestPathWrongType(t *testing.T) {
	s := compile(t, readAll, local)
	for _, v := range []string{"1", "true", `["/ws/a.txt"]`, "{}", "[]"} {
		if permits, forbids, _ := home.sides(s, argument(t, v, false)); permits || !forbids {
			t.Errorf("%s: permits %t, forbids %t", v, permits, forbids)
		}
	}
}

func TestPathQuestions(t *testing.T) {
	s := compile(t, `{"path": {"read": ["${workspace}/**", "${workspace}/a/b.txt", "/srv/x/*.txt", "/**", "/hosts", "!${tmp}/*/x"], "base": "${home}"}}`, local)
	var asked []string
	for _, q := range s.Questions(argument(t, `["f","/g","f",1]`, true)) {
		asked = append(asked, fmt.Sprintf("%s in %q", q.File.Text, q.File.Base))
	}
	want := []string{
		`f in "${home}"`, `a in "${workspace}"`, `a/b.txt in "${workspace}"`, `/srv/x in ""`, `/hosts in ""`, `/g in "${home}"`,
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q\nwant  %q", asked, want)
	}
}

func TestMayWrite(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		file     string
		want     bool
	}{
		{`"${workspace}/**"`, "/ws/licet.yaml", true}, {`"${workspace}/**"`, "/etc/licet/licet.yaml", false}, {`"${workspace}/**"`, "/WS/licet.yaml", true},
		{`"${workspace}/**", "!${workspace}/licet.yaml"`, "/ws/licet.yaml", false}, {`"${workspace}/**", "!${workspace}/LICET.yaml"`, "/ws/licet.yaml", true},
		{`"${workspace}/**", "!${workspace}/conf/**"`, "/ws/conf/licet.yaml", false}, {`"${workspace}/**", "!${workspace}/conf/*"`, "/ws/conf/licet.yaml", false},
		{`"${workspace}/*"`, "/ws/conf/licet.yaml", true}, {`"${workspace}/conf"`, "/ws/conf/licet.yaml", true}, {`"${workspace}/*/*/*"`, "/ws/conf/licet.yaml", false},
		{`"/**"`, "/etc/licet.yaml", true}, {`"/etc/*.yaml"`, "/etc/licet.yaml", true}, {`"/etc/*.yml"`, "/etc/licet.yaml", false}, {`"${home}/**"`, "/ws/licet.yaml", false},
		{`"/etc/**"`, "etc/licet.yaml", true}, {`"/etc/**"`, "", true},
	} {
		s := compile(t, `{"path": {"write": [`+tt.patterns+`]}}`, local)
		if got := s.MayWrite(tt.file, home.places); got != tt.want {
			t.Errorf("%s may write %s: %t", tt.patterns, tt.file, got)
		}
		if s := compile(t, `{"path": {"read": [`+tt.patterns+`]}, "length": {"min": 1}}`, local); s.MayWrite(tt.file, home.places) {
			t.Errorf("reading %s may write", tt.patterns)
		}
		if s.MayWrite(tt.file, Places{}) && strings.Contains(tt.patterns, "${") && tt.file != "" {
			t.Errorf("%s may write where its place is not known", tt.patterns)
		}
	}
}

func TestPlacesExpand(t *testing.T) {
	p := Places{Workspace: "/ws", Tmp: "/tmp"}
	for text, want := range map[string]string{"${workspace}": "/ws", "${workspace}/a": "/ws/a", "${tmp}/x/y": "/tmp/x/y", "/abs": "/abs", "${home}/a": "", "${other}": "", "${workspace": "/ws"} {
		if got, ok := p.Expand(text); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %t", text, got, ok)
		}
	}
}

// TestGuardedTable: every guarded pattern is refused below a wildcard, in every
// letter case, and allowed where a pattern names it.
func TestGuardedTable(t *testing.T) {
	all := GuardedPatterns()
	if len(all) < 50 {
		t.Fatalf("%d guarded patterns", len(all))
	}
	for _, g := range all {
		name := strings.NewReplacer("/**", "/x", "*", "x").Replace(g.Pattern)
		if g.Why == "" {
			t.Errorf("%s has no reason", g.Pattern)
		}
		for _, file := range []string{"/ws/" + name, "/ws/deep/er/" + strings.ToUpper(name), "/ws/" + strings.TrimSuffix(name, "/x")} {
			wide := compile(t, `{"path": {"write": ["/ws/**"]}}`, local)
			if ok, _, _ := home.sides(wide, argument(t, quote(file), false)); ok {
				t.Errorf("%s is not guarded", file)
			}
			exact := compile(t, `{"path": {"write": [`+quote(file)+`]}}`, local)
			if ok, _, why := home.sides(exact, argument(t, quote(file), false)); !ok {
				t.Errorf("%s cannot be named: %s", file, why)
			}
			read := compile(t, `{"path": {"read": ["/ws/**"]}}`, local)
			if ok, _, why := home.sides(read, argument(t, quote(file), false)); !ok {
				t.Errorf("%s cannot be read: %s", file, why)
			}
		}
	}
}

var somePaths = []string{"/ws", "/ws/a", "/ws/a/b", "/ws/b", "/ws/.env", "/ws/out/x", "/etc", "/ws/A", "/ws/in/x", "/ws/src/x", "a", "../b"}

// TestPathOrder: the order of patterns decides nothing, one more exclusion only
// narrows and one more pattern only widens what is permitted.
func TestPathOrder(t *testing.T) {
	pattern := rapid.SampledFrom([]string{"/ws/**", "/ws/*", "/ws/a", "/ws/a/**", "/ws/*/b", "${workspace}/**", "${workspace}/.env", "/etc/**", "/ws/in/**"})
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"read", "write"}).Draw(rt, "word")
		list := rapid.SliceOfN(pattern, 1, 4).Draw(rt, "covering")
		for _, p := range rapid.SliceOfN(pattern, 0, 3).Draw(rt, "excluding") {
			list = append(list, "!"+p)
		}
		text := rapid.SampledFrom(somePaths).Draw(rt, "text")
		at := func(list []string) (bool, bool) {
			quoted := make([]string, len(list))
			for i, p := range list {
				quoted[i] = quote(p)
			}
			s := compile(t, fmt.Sprintf(`{"path": {%q: [%s]}}`, word, strings.Join(quoted, ",")), local)
			permits, forbids, _ := home.sides(s, argument(t, quote(text), false))
			return permits, forbids
		}
		permits, forbids := at(list)
		if p, f := at(rapid.Permutation(list).Draw(rt, "order")); p != permits || f != forbids {
			rt.Fatalf("%s, %s: the order decides", list, text)
		}
		more := pattern.Draw(rt, "more")
		if p, f := at(append(slices.Clone(list), "!"+more)); p && !permits || f && !forbids {
			rt.Fatalf("%s, %s: !%s widens", list, text, more)
		}
		if p, f := at(append(slices.Clone(list), more)); !p && permits || !f && forbids {
			rt.Fatalf("%s, %s: %s narrows", list, text, more)
		}
	})
}

// FuzzPattern states that a covered path is matched by no exclusion and by some
// pattern, whatever the text of pattern, exclusion and path.
func FuzzPattern(f *testing.F) {
	for _, tt := range pathTable {
		for _, text := range slices.Concat(tt.permits, tt.refuses) {
			f.Add("/ws/**", "/ws/.git/**", text)
			f.Add("/srv/*", "/srv/x*", text)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, exclusion, text string) {
		covering, err := newGlob(pattern)
		if err != nil || covering.not {
			return
		}
		excluding, err := newGlob("!" + exclusion)
		if err != nil || toolcall.StringOf(text).Text() != text {
			return
		}
		p := &pathKind{globs: []glob{covering, excluding}}
		a := Answers{Places: home.places}
		if p.unmet(toolcall.StringOf(text), a) != "" {
			return
		}
		names := strings.Split(text, "/")
		at := func(g glob) []string {
			prefix := a.Places.place(g.place)
			return strings.Split(strings.TrimSuffix(prefix, "/"), "/")
		}
		agrees := func(g glob) bool {
			want := g.names
			if g.place != "" {
				want = append(at(g), g.names...)
			}
			return len(names) >= len(want) && matchAll(want, names[:len(want)]) && (g.tree || len(names) == len(want))
		}
		if !agrees(covering) {
			t.Fatalf("%q covers %q", pattern, text)
		}
		if agrees(excluding) {
			t.Fatalf("%q is covered although %q excludes it", text, exclusion)
		}
		if slices.Contains(names, "..") || strings.ContainsAny(text, "\x00\\") {
			t.Fatalf("%q is covered", text)
		}
	})
}
