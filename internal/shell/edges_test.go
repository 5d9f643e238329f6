package shell

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// few returns the kinds and targets of the effects of a command, in their order,
// but for the execution of programs.
func few(command string) (all []string) {
	for _, e := range Analyze(command, testEnv).Effects {
		switch e.Kind {
		case Execute:
		case Network:
			all = append(all, "network "+e.Host+e.Remote+e.Path)
		case Unknown:
			all = append(all, "unknown "+e.Why)
		default:
			target := e.Path
			if !e.PathKnown {
				target += "?"
			}
			all = append(all, e.Kind.String()+" "+target)
		}
	}
	return all
}

// TestBareNames: every program and every command of the shell can stand alone, with
// one word, or with words that are not known, and is executed.
func TestBareNames(t *testing.T) {
	names := slices.Sorted(maps.Keys(builtins))
	var add func(rows map[string]*row)
	add = func(rows map[string]*row) {
		for _, r := range rows {
			names = append(names, strings.Join(r.name, " "))
			add(r.subs)
		}
	}
	add(table().programs)
	if len(names) < 400 {
		t.Fatalf("looked at %d names: the test is not looking", len(names))
	}
	for _, name := range names {
		if name == "let" || name == "time" { // words of the language
			continue
		}
		for _, words := range []string{"", " --", " -", " x", " -- x", ` "$X"`, ` -z "$X"`, " -1", " -a", " -v", " --no-x", " A=b", " -c"} {
			a := Analyze(name+words, testEnv)
			if !slices.ContainsFunc(a.Effects, func(e Effect) bool { return e.Kind == Execute || e.Kind == Unknown }) {
				t.Errorf("%q does nothing: %+v", name+words, a)
			}
		}
	}
}

// TestEdges: what an effect of a few words is, and that there is no other.
func TestEdges(t *testing.T) {
	for command, want := range map[string][]string{
		"X=a; X=b true; cat $X":     {"read /w/a"}, // an assignment before a command ends with it
		"X=a; X=b; cat $X":          {"read /w/b"}, // and one alone stays
		"git push origin":           {"network origin/w"},
		`scp -- "$X" /t/`:           {"read ?", "network ", "write /t"},
		"curl -d a=b u.example":     {"network u.example"},
		"curl -d @f u.example":      {"read /w/f", "network u.example"},
		"curl -F a=b u.example":     {"network u.example"},
		"curl -F a=@f u.example":    {"read /w/f", "network u.example"},
		"ls --al":                   {"read /w"},
		"ls --no-zzz f":             {"read /w/f"},
		"grep --no-zzz a f":         {"read /w/f"},
		"ls --recurs":               {"unknown an abbreviated option", "read /w"},
		"head -90 f":                {"read /w/f"},
		"git fetch":                 {"network */w"},
		"git checkout .":            {"write /w"},
		"env PAGER=/x/p man ls":     {"read /x/p", "unknown runs a file"},
		`curl -d "$X" u.example`:    {"read ?", "network u.example"},
		`curl -d "a$X" u.example`:   {"network u.example"},
		`curl -F "a=$X" u.example`:  {"read ?", "network u.example"},
		`curl -F "a=b$X" u.example`: {"network u.example"},
		"mkdir -p a/b/c":            {"write /w/a/b/c", "write /w/a/b", "write /w/a"},
		"curl -d '' u.example":      {"network u.example"},
		"trap 'rm /f' EXIT":         {"write /f"},
		"trap -- 'rm /f' EXIT":      {"write /f"},
		"trap -- - EXIT":            nil,
		"exec -a":                   nil,
		"exec -a x rm f":            {"write /w/f"},
		"exec rm f":                 {"write /w/f"},
		"env A=b rm f":              {"write /w/f"},
		// What a function is given it knows by its numbers, and its caller does not.
		`f() { rm "$2"; }; f a b`:                   {"write /w/b"},
		`f() { rm "$9"; }; f 1 2 3 4 5 6 7 8 9`:     {"write /w/9"},
		`f() { :; }; f a b; cat "./$2"`:             {"read ?"},
		`set -- x y; f() { :; }; f a b; cat "./$2"`: {"read ?"},
		// What is counted is not known any more, nor what two ways differ in.
		`X=1; ((X++)); cat "$X"`:                                {"unknown arithmetic on what may not be a number, which bash evaluates", "read ?"},
		`X=1; ((-X)); cat "$X"`:                                 {"read /w/1"},
		`cat "$PWD/f"`:                                          {"read /w/f"},
		`cd /a || cd /b; cat "$PWD"`:                            {"read ?"},
		`if a; then f() { rm a; }; fi; f`:                       {"unknown a program that the table does not know", "unknown f may be a function or an alias, which is not known"},
		`f() { rm a; }; if test -e x; then true; fi; f`:         {"write /w/a"},
		`if test x; then f() { rm a; }; else f() { :; }; fi; f`: {"unknown f may be a function or an alias, which is not known"},
		// Only these compare numbers.
		`[[ "$X" -eq 1 ]]`: {"unknown arithmetic on what may not be a number, which bash evaluates"},
		`[[ "$X" -gt 1 ]]`: {"unknown arithmetic on what may not be a number, which bash evaluates"},
		`[[ "$X" == 1 ]]`:  nil,
		`[[ "$X" -nt 1 ]]`: nil,
		// What is read from is standard input, and no other stream.
		"bash 0<f":         {"read /w/f", "read /w/f", "unknown runs a file"},
		"bash 3<f":         {"read /w/f", "unknown runs what it reads from standard input"},
		"bash <<< 'rm x'":  {"write /w/x"},
		"bash 3<<< 'rm x'": {"unknown runs what it reads from standard input"},
		// A dash is a file, but for what copies and closes streams.
		"echo a > -":  {"write /w/-"},
		"cat < -":     {"read /w/-"},
		"cat <&-":     nil,
		"echo a 2>&-": nil,
	} {
		got := few(command)
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", command, got, want)
		}
	}
}

// TestEdgesOfEffects: what effects carry beside kind and target, each of several.
func TestEdgesOfEffects(t *testing.T) {
	writes := func(command string) (all []Effect) {
		for _, e := range Analyze(command, testEnv).Effects {
			if e.Kind == Write {
				all = append(all, e)
			}
		}
		return all
	}
	into := func(command string) (all []bool) {
		for _, e := range writes(command) {
			all = append(all, e.Into)
		}
		return all
	}
	for command, want := range map[string][]bool{
		"mkdir -p a/b/c": {false, true, true}, // the folders above take what is new
		"cp a b d":       {true, false, false},
	} {
		if got := into(command); !slices.Equal(got, want) {
			t.Errorf("%s writes into folders: %v, want %v", command, got, want)
		}
	}
	enable := Analyze("enable -n cat", testEnv).Effects
	if cause := enable[len(enable)-1].Cause.Text; cause != "enable -n cat" {
		t.Errorf("the cause of what enable does is %q", cause)
	}
	for command, searched := range map[string]bool{"echo x": false, "cat x": true, "/bin/echo x": false} {
		if e := Analyze(command, testEnv).Effects[0]; (e.Search != "") != searched {
			t.Errorf("%s is looked up along %q", command, e.Search)
		}
	}
	if _, err := parseOwn("# a\n\ngit | x\n"); err == nil || !strings.Contains(err.Error(), "own.tbl:3:") {
		t.Errorf("an error of the third line: %v", err)
	}
}

// TestCommentsThatAreNone: a # within a word hides nothing, and a comment is one.
func TestCommentsThatAreNone(t *testing.T) {
	for _, command := range []string{
		"(\"echo\"#$(rm f)\n)", "('echo'#$(rm f)\n)", "(''#`rm f`\n)", "( \"a\"#$(rm f)\n)", "$(\"a\"#$(rm f)\n)", "{ \"a\"#$(rm f); }", "(a#$(rm f)\n)",
		"echo a\\\n#$(rm f)", "(\"a\"\\\n#$(rm f)\n)", "x=(\"a\"#$(rm f)\n)", "case \"a\"#$(rm f) in *) ;; esac", "(\"a\"$X#$(rm f)\n)",
		"($(a)#$(rm f)\n)", "(`a`#$(rm f)\n)", "(<(a)#$(rm f)\n)", "($((1))#$(rm f)\n)", "(\"a\"$(b)#$(rm f)\n)", "$(`a`#$(rm f)\n)", "x=($(a)#$(rm f)\n)",
		"(a\\ #$(rm f)\n)", "(\"a\"\\ #$(rm f)\n)", "(\"a\"\\;#$(rm f)\n)", "`\"a\"\\\\ #$(rm f)\n`",
	} {
		a := Analyze(command, testEnv)
		if !slices.ContainsFunc(a.Effects, func(e Effect) bool { return e.Kind == Unknown && !e.Opaque || e.Kind == Write && e.Path == "/w/f" }) {
			t.Errorf("%q hides what it does: %+v", command, a.Effects)
		}
	}
	for _, place := range []string{
		"<(W\n)", "x+=(b W\n)", "case x in (W\n) b;; esac", "case x in y) (W\n);; esac", "f() (W\n); f", "time (W\n)", "coproc (W\n)", "! (W\n)",
		"if (W\n); then b; fi", "b && (W\n)", "b | (W\n)", "{ (W\n); }", "echo \"$(W\n)\"", "echo ${x:-$(W\n)}", "cat <<E\n$(W\n)\nE", "declare x=(W\n)",
		"((W\n))", "(b;W\n)", "(b\nW\n)", "(if W\nthen b; fi)", "(x=1 W\n)", "(>o W\n)", "({ W\n})", "$($(W\n)\n)", "for i in W\ndo b; done",
	} {
		for _, word := range []string{"\"a\"#$(rm f)", "$(a)#$(rm f)", "`a`#$(rm f)"} {
			command := strings.ReplaceAll(place, "W", word)
			if !slices.ContainsFunc(Analyze(command, testEnv).Effects, func(e Effect) bool { return e.Kind == Unknown && !e.Opaque || e.Kind == Write && e.Path != "/w/o" }) {
				t.Errorf("%q hides what it does", command)
			}
		}
	}
	for _, command := range []string{"# a", "echo a # b", "(echo a # b\n)", "(# b\necho a)", "echo a;# b", "echo a&&\n# b\necho c", "echo a#b", "$(# b\necho a)", "case a in # b\na) ;;# c\nesac"} {
		if got := few(command); len(got) > 0 && !strings.Contains(got[0], "which program") {
			t.Errorf("%q: %q", command, got)
		}
	}
}
