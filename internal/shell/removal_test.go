package shell

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// usesFile holds a command for every word of the table, with its effects.
const usesFile = "testdata/uses.txt"

// uses returns a command for each program, option and setting of the table.
func uses() (all []string) {
	add := func(words ...string) { all = append(all, strings.Join(words, " ")) }
	seen := map[*row]bool{}
	var visit func(above string, rows map[string]*row)
	visit = func(above string, rows map[string]*row) {
		for name, r := range rows {
			command := strings.TrimSpace(above + " " + name)
			add(command, "a")
			visit(command, r.subs)
			if seen[r] { // another name of the same row
				continue
			}
			seen[r] = true
			command = strings.Join(r.name, " ")
			if command == "time" || command == "printf" { // the shell's own stand before them
				command = "env " + command
			}
			add(command)
			add(command, "./a b c")
			add(command, "--zzz a")
			add(command, "a --zzz b")
			add(command, "-7 a")
			add(command, "+a -- -b")
			add(command, "A=1 rm b")
			add(command, "-r -R a b")
			add(command, "< a")
			for option, o := range r.options {
				add(command, option, "p a b")
				add(command, "a", option, "b")
				add(command, option, "p")
				if o.meaning == "parents" {
					add(command, option, "a/b c/d")
				}
				if o.takes != 0 {
					add(command, option+map[bool]string{true: "=p", false: "p"}[strings.HasPrefix(option, "--")], "a b")
				}
				if r.about["special"] == "tar" {
					add(command, "-c", option, "p a")
					add(command, "-x", option, "p a")
				}
			}
		}
	}
	visit("", table().programs)
	for _, s := range table().settings {
		name := strings.Replace(s.name, "*", "X", 1)
		switch {
		case strings.HasPrefix(name, "git:"):
			add("git -c", name[len("git:"):]+"=x", "status")
		case strings.HasPrefix(name, "ssh:"):
			add("ssh -o", name[len("ssh:"):]+"=x", "h")
		default:
			add(name + "=x true")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestUses: a change to the table shows in what its words do. The file is written
// anew where LICET_UPDATE is set; its difference is for reading.
func TestUses(t *testing.T) {
	var text strings.Builder
	for _, command := range uses() {
		fmt.Fprintf(&text, "%s => %s\n", command, whole(command))
	}
	if os.Getenv("LICET_UPDATE") != "" {
		if err := os.WriteFile(usesFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(usesFile)
	if err != nil {
		t.Fatal(err)
	}
	differs := map[string]int{}
	for line := range strings.Lines(text.String()) {
		differs[line]++
	}
	for line := range strings.Lines(string(want)) {
		differs[line]--
	}
	for line, n := range differs {
		if n != 0 {
			t.Errorf("%s: %s", map[bool]string{true: "is", false: "was"}[n > 0], line)
		}
	}
}

// whole is the summary of a command, with what it may make in trees, and what it
// leaves where there is a folder.
func whole(command string) string {
	a := Analyze(command, testEnv)
	text := summary(a)
	for _, e := range a.Effects {
		if e.Kind == Write && (e.Tree || e.Pattern) {
			text += [...]string{" (any names)", " (copies)", " (no new names)"}[e.Makes]
		}
		if e.Into {
			text += " (no folder)"
		}
	}
	return text
}

// removal is a row, or a word of one, that is taken out of the table.
type removal struct {
	line int
	what string
	of   string // the program
	text string // the table without it
}

func (r removal) String() string { return fmt.Sprintf("%-50.50s %d", r.what+" of "+r.of, r.line) }

var rowWord = regexp.MustCompile(`[^\s|]+`)

// removals takes each row and each word of its last three columns, each member of
// a group and each setting out in turn. The tests below a row stay.
func removals(table string) (all []removal) {
	at := 0
	for i, line := range strings.SplitAfter(table, "\n") {
		start := at
		at += len(line)
		if line == "" || strings.ContainsRune("#\n ", rune(line[0])) {
			continue
		}
		names, _, _ := strings.Cut(line, "|")
		of := strings.TrimSpace(strings.SplitN(names, ",", 2)[0])
		without := func(from, to int, what string) {
			all = append(all, removal{i + 1, what, of, table[:start+from] + table[start+to:]})
		}
		words := len(names)
		switch line[0] {
		case '@':
			of = strings.Fields(line)[0]
			words = len(of)
		case '$':
			of, words = "the settings", 0
		default:
			without(0, len(line)-1, "the row")
		}
		for _, w := range rowWord.FindAllStringIndex(line[words:], -1) {
			from, end := words+w[0], words+w[1]
			to := len(line) - len(strings.TrimLeft(line[end:], " "))
			if line[0] != '$' || line[from] == '$' { // not what a setting means
				without(from, to, line[from:end])
			}
		}
	}
	return all
}

// check is a command of one of the package's tables with its effects.
type check struct{ from, command, want string }

// got is what the command does now.
func (c check) got() string {
	if c.from == "use" {
		return whole(c.command)
	}
	return summary(Analyze(c.command, testEnv))
}

// checks returns the commands of all tables.
func checks(t *testing.T) (all []check) {
	for _, test := range table().tests {
		all = append(all, check{"row", test.command, test.want})
	}
	for _, c := range classCases(t) {
		all = append(all, check{"class", c.command, c.want})
	}
	text, err := os.ReadFile(usesFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		command, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		all = append(all, check{"use", command, want})
	}
	return all
}

// noticedBy returns what fails without the removed part.
func noticedBy(r removal, all []check) string {
	without, err := parseTable(r.text)
	if err != nil {
		return "table: " + err.Error()
	}
	before := table
	defer func() { table = before }()
	table = func() *rows { return without }
	for _, near := range []bool{true, false} {
		for _, c := range all {
			if strings.Contains(c.command, r.of) != near {
				continue
			}
			if c.got() != c.want {
				return c.from + ": " + c.command
			}
		}
	}
	return ""
}

// chosen are parts of the table without which an effect would be missed.
var chosen = []string{
	"--compress-program=shell of sort", "-w!inplace of gofmt", "--output=write of @gitdiff", "-I=shell of tar", "-f=placeread of grep",
	"here of rg", "special=sed of sed", "stdin=code of python", "--upload-pack=shell of git fetch", "-c=gitconfig of git",
	"existing of rm", "existing of rmdir", "-r,-R,--recursive!tree of rm", "$LD_* of the settings", "$GIT_SSH_COMMAND of the settings", "appends of xargs", "assigns of env",
	"-d=atread of curl", "worktree of git reset", "net of wget", "dest of cp",
}

// TestRemovals: the tables notice when a part of what is known of programs is
// taken away. With LICET_LONG it tries all parts, and prints those that nothing
// notices: a few may say nothing that is not said twice. Without, those of chosen.
func TestRemovals(t *testing.T) {
	long := os.Getenv("LICET_LONG") != ""
	all, tried, unnoticed := checks(t), 0, 0
	for _, r := range removals(programs) {
		picked := slices.Contains(chosen, r.what+" of "+r.of)
		if !picked && !long {
			continue
		}
		tried++
		by := noticedBy(r, all)
		if picked {
			t.Logf("%-40s %.90s", r.what+" of "+r.of, by)
		}
		if by == "" {
			unnoticed++
			if t.Logf("nothing notices that %s is gone", r); picked || r.matters() {
				t.Error("and it matters")
			}
		}
	}
	if tried < len(chosen) {
		t.Errorf("tried %d removals: the test is not looking", tried)
	}
	t.Logf("%d parts taken away, %d unnoticed", tried, unnoticed)
}

// matters reports whether the part says of an effect, and not that a word has none
// or that it is unknown, as what is not listed mostly is.
func (r removal) matters() bool {
	if strings.HasPrefix(r.what, "$") || r.what == "*" {
		return r.what != "*"
	}
	i := strings.LastIndexAny(r.what, "=?!:")
	switch kind := strings.TrimSuffix(r.what[i+1:], "..."); kind {
	case "", "data", "place", "unknown", "dry", "number", "nooptions", "longdash":
		return false
	default:
		return i >= 0 || r.what[0] != '-'
	}
}
