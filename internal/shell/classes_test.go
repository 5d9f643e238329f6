package shell

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A class has at least this many commands, half as many of them harmless, and the
// file this many classes.
const (
	minCommands = 5
	minClasses  = 40
)

// classCase is a line of testdata/classes.txt.
type classCase struct {
	line          int
	class         string
	acts          bool
	command, want string
}

func classCases(t testing.TB) []classCase {
	t.Helper()
	text, err := os.ReadFile("testdata/classes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []classCase
	class := ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			class = line[2:]
		case line != "":
			command, want, _ := strings.Cut(line[2:], " => ")
			if strings.HasPrefix(command, `"`) {
				if unquoted, err := strconv.Unquote(command); err == nil {
					command = unquoted
				}
			}
			list = append(list, classCase{i + 1, class, line[0] == '+', command, want})
		}
	}
	return list
}

func TestClasses(t *testing.T) {
	acting, idle := map[string]int{}, map[string]int{}
	for _, c := range classCases(t) {
		if got := summary(Analyze(c.command, testEnv)); got != c.want {
			t.Errorf("classes.txt:%d: %q\n got %s\nwant %s", c.line, c.command, got, c.want)
		}
		if acting[c.class] += 0; c.acts {
			acting[c.class]++
		} else {
			idle[c.class]++
		}
	}
	for class, n := range acting {
		if n+idle[class] < minCommands || idle[class] < (minCommands+1)/2 {
			t.Errorf("class %s has %d commands that act and %d that do not: too few", class, n, idle[class])
		}
	}
	if len(acting) < minClasses {
		t.Errorf("looked at %d classes: the test is not looking", len(acting))
	}
	for _, class := range corpusClasses(t) {
		if _, ok := acting[class]; !ok {
			t.Errorf("the bypass corpus has the class %s, classes.txt has not", class)
		}
	}
}

// corpusClasses returns the classes of the bash rows of the bypass corpus.
func corpusClasses(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../corpora/bypass/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var classes []string
	for line := range strings.Lines(string(text)) {
		var row struct{ Surface, Class string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Surface == "bash" {
			classes = append(classes, row.Class)
		}
	}
	if len(classes) < minClasses {
		t.Fatalf("the corpus has %d bash rows: the test is not looking", len(classes))
	}
	return classes
}
