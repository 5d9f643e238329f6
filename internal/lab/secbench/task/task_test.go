package task

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
)

// all returns every task, of which there are as many as the specification has.
func all(t *testing.T) []*Task {
	t.Helper()
	var tasks []*Task
	count := map[string]int{}
	for _, id := range IDs() {
		loaded, err := Get(id)
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, loaded)
		count[loaded.Kind]++
	}
	if count["security"] != 30 || count["control"] != 20 || count["probe"] != 6 {
		t.Fatalf("there are %v", count)
	}
	return tasks
}

// anchor returns the anchor of line n.
func anchor(text string, n int) string {
	key, occurrence := lineKey(Lines(text)[n-1]), 0
	for _, line := range Lines(text)[:n] {
		if lineKey(line) == key {
			occurrence++
		}
	}
	return fmt.Sprintf("%s:%d", key, occurrence)
}

func TestAnchor(t *testing.T) {
	if got := anchor("\tf, err := os.Open(filepath.Join(base,  name))\r\n", 1); got != "5ffd6513c9d8808d:1" {
		t.Errorf("got %s", got)
	}
	text := "a\nb\n a\n\na \n"
	for line, occurrence := range map[int]string{1: ":1", 3: ":2", 5: ":3"} {
		key := anchor(text, line)
		if n, err := find(text, key); err != nil || n != line || !strings.HasSuffix(key, occurrence) {
			t.Errorf("line %d: anchor %s leads to %d, %v", line, key, n, err)
		}
	}
	for _, key := range []string{"", "x", "5ffd6513c9d8808d:1", anchor(text, 1)[:17] + "4", anchor(text, 1)[:17] + "0"} {
		if n, err := find(text, key); err == nil {
			t.Errorf("%q led to line %d", key, n)
		}
	}
}

// TestVectors holds variants and canaries against those of the specification.
func TestVectors(t *testing.T) {
	g := generator("L01", 1)
	if *g != 0x31a8b9cf725f49bb {
		t.Errorf("state %016x", uint64(*g))
	}
	if a, b, c := g.Below(5), g.Below(5), g.Below(10); a != 0 || b != 4 || c != 7 {
		t.Errorf("indexes %d, %d, %d", a, b, c)
	}
	if key := canaries("L01", 1).Key; key != "lk_canary_86f8f3329b80901b9810dee8c17cff92" {
		t.Errorf("key %s", key)
	}
}

// TestVariants: in every variant each line that is right is where it was, and no
// variant is like another.
func TestVariants(t *testing.T) {
	looked := 0
	for _, task := range all(t) {
		base, err := task.Fixture(0)
		if err != nil {
			t.Fatal(err)
		}
		gold, err := base.Gold()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{base.Variant(): true}
		for _, seed := range Seeds {
			f, err := task.Fixture(seed)
			if err != nil {
				t.Fatal(err)
			}
			varied, err := f.Gold()
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range gold.Lines {
				was, is := textAt(t, base, line), textAt(t, f, varied.Lines[i])
				if shape(was) != shape(is) {
					t.Errorf("%s, seed %d: line %q became %q", task.ID, seed, was, is)
				}
				for _, l := range []Line{line, varied.Lines[i]} {
					if l.Line <= headLines {
						t.Errorf("%s, seed %d: gold in line %d of %s", task.ID, seed, l.Line, l.File)
					}
					looked++
				}
			}
			if seen[f.Variant()] {
				t.Errorf("%s: seed %d is like another", task.ID, seed)
			}
			seen[f.Variant()] = true
		}
	}
	if looked < 2*len(Seeds)*len(IDs()) {
		t.Errorf("looked at %d lines: the check is not looking", looked)
	}
}

// headLines are the first lines of a file, which an agent that shows the head of every
// file cites.
const headLines = 12

// shape is a line without its identifiers.
func shape(line string) string { return regexp.MustCompile(`\w+`).ReplaceAllString(line, "w") }

func textAt(t *testing.T, f *Fixture, l Line) string {
	t.Helper()
	text, ok := f.Text(l.File)
	if !ok {
		t.Fatalf("%s: no file %s", f.Task.ID, l.File)
	}
	return Lines(text)[l.Line-1]
}

// TestManifests: what a manifest names is there, and nothing that is written to a
// disk says what is right.
func TestManifests(t *testing.T) {
	hints := regexp.MustCompile(`(?i)cwe|vuln|\bbug|fixme|exploit|traversal|injection`)
	for _, task := range all(t) {
		f, err := task.Fixture(1)
		if err != nil {
			t.Fatal(err)
		}
		gold, err := f.Gold()
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "workspace")
		if err := f.Write(dir); err != nil {
			t.Fatal(err)
		}
		var written string
		if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				var text []byte
				text, err = os.ReadFile(path)
				written += path[len(dir):] + "\n" + string(text)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if hint := hints.FindString(written); hint != "" {
			t.Errorf("%s: %q stands in its files", task.ID, hint)
		}
		secret := slices.Concat(gold.Accept.CWE, gold.Accept.Verdict, []string{"ORACLE:"})
		if gold.Hidden != nil {
			secret = append(secret, gold.Hidden.FailToPass...)
		}
		// a letter of a candidate stands there if those of all do
		told := func(word string) bool { return strings.Contains(written, word) }
		alike := len(task.Verdicts) > 1 && !slices.ContainsFunc(task.Verdicts, func(v string) bool { return !told(v) })
		for _, word := range secret {
			if word != "NONE" && told(word) && !(alike && slices.Contains(task.Verdicts, word)) {
				t.Errorf("%s: %q stands in its files", task.ID, word)
			}
		}
		for _, word := range []string{task.GUID, f.Canaries.Key} {
			if strings.Count(written, word) != 1 {
				t.Errorf("%s: %q stands %d times in its files", task.ID, word, strings.Count(written, word))
			}
		}
		for _, name := range slices.Concat(task.Protected, task.Patchable) {
			if _, ok := f.Text(name); !ok {
				t.Errorf("%s: names %s, which is no file of it", task.ID, name)
			}
		}
		if n := len(f.Files); n < 3 || n > 12 {
			t.Errorf("%s: %d files", task.ID, n)
		}
		for _, l := range gold.Lines {
			if text, _ := f.Text(l.File); strings.Contains(text, f.Canaries.Key) {
				t.Errorf("%s: gold and key are both in %s", task.ID, l.File)
			}
		}
		for _, class := range task.Redact {
			canary := map[string]string{"B": f.Canaries.Mail, "C": f.Canaries.Host, "D": ""}[class]
			if !strings.Contains(written, canary) {
				t.Errorf("%s: says that it has class %s", task.ID, class)
			}
		}
		for _, r := range task.Rename {
			if len(r.Pool) < 5 {
				t.Errorf("%s: a pool of %d names", task.ID, len(r.Pool))
			}
		}
	}
}

// variant is the files of a task for a seed, its twin, and what is right.
type variant struct {
	task    *Task
	seed    int
	f, twin *Fixture
	gold    Gold
}

// variants returns those of all tasks, with the base trees.
func variants(t *testing.T) []variant {
	t.Helper()
	var found []variant
	for _, task := range all(t) {
		for _, seed := range append([]int{0}, Seeds...) {
			f, err := task.Fixture(seed)
			if err != nil {
				t.Fatal(err)
			}
			twin, err := task.Twin(seed)
			if err != nil {
				t.Fatal(err)
			}
			gold, err := f.Gold()
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, variant{task, seed, f, twin, gold})
		}
	}
	return found
}

// TestTwins: a twin is made for every seed and differs in a file that gold is in.
// Where no harness shows the difference, a line that is right in the task is not
// in its twin.
func TestTwins(t *testing.T) {
	for _, v := range variants(t) {
		_, inTwin := v.twin.Gold()
		if ran := slices.Contains(v.gold.Predicate, "trigger") || slices.Contains(v.gold.Predicate, "tests"); !ran && inTwin == nil {
			t.Errorf("%s: all that is right in it is right in its twin", v.task.ID)
		}
		changed := slices.ContainsFunc(v.gold.Lines, func(l Line) bool {
			a, _ := v.f.Text(l.File)
			b, _ := v.twin.Text(l.File)
			return a != b
		})
		if !changed {
			t.Errorf("%s: gold is in no file that its twin changes", v.task.ID)
		}
	}
}

// TestCandidates: each candidate patch applies in every variant, and the one that is
// right, no other, makes the twin.
func TestCandidates(t *testing.T) {
	seen := 0
	for _, v := range variants(t) {
		for _, file := range v.f.Files {
			letter, ok := strings.CutPrefix(strings.TrimSuffix(file.Path, ".diff"), "candidates/")
			if !ok {
				continue
			}
			seen++
			changes, err := udiff.Parse(file.Text)
			if err != nil {
				t.Fatalf("%s, %s: %v", v.task.ID, file.Path, err)
			}
			tree, err := Patch(v.f.Files, changes)
			right := slices.Contains(v.gold.Accept.Verdict, strings.ToUpper(letter))
			if err != nil || slices.Equal(tree, v.twin.Files) != right {
				t.Errorf("%s, seed %d, %s: %v; it is right: %v", v.task.ID, v.seed, file.Path, err, right)
			}
		}
	}
	if seen != 2*3*(1+len(Seeds)) {
		t.Errorf("looked at %d candidates", seen)
	}
}

func TestLoadUnknown(t *testing.T) {
	if _, err := Get("L99"); err == nil || !strings.Contains(err.Error(), "L01") {
		t.Errorf("got %v", err)
	}
}

func TestPrompt(t *testing.T) {
	for _, task := range all(t) {
		l := Limits{24, 30, 64, 120}
		plain, err := task.Prompt(Plain, l)
		if err != nil {
			t.Fatal(err)
		}
		authorised, err := task.Prompt(Authorised, l)
		if err != nil {
			t.Fatal(err)
		}
		if len(authorised) <= len(plain) || strings.ContainsAny(plain+authorised, "{}") {
			t.Errorf("%s: prompt\n%s", task.ID, authorised)
		}
		for _, word := range append(task.Granted(), task.Question, fmt.Sprint(l.Calls)) {
			if !strings.Contains(plain, word) {
				t.Errorf("%s: the prompt does not say %q", task.ID, word)
			}
		}
		if _, err := task.Prompt("jailbreak", l); err == nil {
			t.Error("an unknown condition was taken")
		}
	}
}
