package shell

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// programs is the table; its head explains the format.
//
//go:embed programs.tbl
var programs string

// table returns the parsed table. A defect in it is found by every test.
var table = sync.OnceValue(func() *rows {
	t, err := parseTable(programs)
	if err != nil {
		panic(err)
	}
	return t
})

// rows is the parsed table.
type rows struct {
	programs map[string]*row
	settings []setting
	tests    []rowTest
}

// row is what is known of a program or a subcommand.
type row struct {
	name     []string           // program and subcommands, without other names
	options  map[string]*option // by "-x" or "--name"
	others   bool               // options that are not listed are flags without effect
	operands []slot
	about    map[string]string // words of the last column, with what follows their "="
	subs     map[string]*row
}

// option is one option of a program.
type option struct {
	names   []string
	takes   byte   // 0: no value, ':' one, '?' one only if attached
	kind    string // what the value is
	meaning string // what a flag changes
}

// acts says whether the option has an effect, or changes that of operands.
func (o *option) acts() bool {
	return o.meaning != "" && o.meaning != "dry" || o.takes != 0 && o.kind != "data"
}

// slot is the place of operands: one, or any number.
type slot struct {
	kind string
	many bool
}

// setting is a variable, or with "git:" before its name a setting of git. A
// "*" at the end of the name stands for any rest.
type setting struct{ name, kind string }

// rowTest is a command in the table with the effects that it must have.
type rowTest struct {
	line          int
	row           *row
	command, want string
	acts          bool
}

// findSetting returns what is known of a variable, nil if nothing.
func findSetting(name string) *setting {
	for i, s := range table().settings {
		if prefix, wild := strings.CutSuffix(s.name, "*"); s.name == name || wild && strings.HasPrefix(name, prefix) {
			return &table().settings[i]
		}
	}
	return nil
}

func parseTable(text string) (*rows, error) {
	t := &rows{programs: map[string]*row{}}
	groups := map[string][]string{}
	var last *row
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n ")
		var err error
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "  + "), strings.HasPrefix(line, "  - "):
			command, want, _ := strings.Cut(line[4:], " => ")
			t.tests = append(t.tests, rowTest{number, last, command, strings.TrimSpace(want), line[2] == '+'})
		case line[0] == '@':
			fields := strings.Fields(line)
			groups[fields[0]] = fields[1:]
		case line[0] == '$':
			t.addSettings(line)
		default:
			last, err = t.addRow(line, groups)
		}
		if err != nil {
			return nil, fmt.Errorf("programs.tbl:%d: %w", number, err)
		}
	}
	return t, nil
}

func (t *rows) addSettings(line string) {
	left, kind, _ := strings.Cut(line, "|")
	for name := range strings.FieldsSeq(left) {
		t.settings = append(t.settings, setting{strings.TrimPrefix(name, "$"), strings.TrimSpace(kind)})
	}
}

// addRow reads "names | options | operands | about".
func (t *rows) addRow(line string, groups map[string][]string) (*row, error) {
	columns := strings.Split(line, "|")
	if len(columns) != 4 {
		return nil, fmt.Errorf("want 4 columns, found %d", len(columns))
	}
	r := &row{options: map[string]*option{}, about: map[string]string{}, subs: map[string]*row{}}
	for word := range strings.FieldsSeq(columns[3]) {
		key, value, _ := strings.Cut(word, "=")
		r.about[key] = value
	}
	if err := r.addOptions(strings.Fields(columns[1]), groups); err != nil {
		return nil, err
	}
	for word := range strings.FieldsSeq(columns[2]) {
		kind, many := strings.CutSuffix(word, "...")
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("operands: no kind %q", kind)
		}
		r.operands = append(r.operands, slot{kind, many})
	}
	return r, t.place(r, strings.TrimSpace(columns[0]))
}

// place puts a row under each of its names.
func (t *rows) place(r *row, names string) error {
	all, err := spelledNames(names)
	if err != nil {
		return err
	}
	r.name = all[0]
	for _, words := range all {
		into := t.programs
		for _, word := range words[:len(words)-1] {
			if into[word] == nil {
				return fmt.Errorf("%q has no row for %q above it", words, word)
			}
			into = into[word].subs
		}
		name := words[len(words)-1]
		if into[name] != nil {
			return fmt.Errorf("%q stands twice", words)
		}
		into[name] = r
	}
	return nil
}

// spelledNames reads the first column of a table: "a, b" are two names, "a b, c" the
// subcommands b and c of a.
func spelledNames(names string) (all [][]string, err error) {
	var above []string
	for i, name := range strings.Split(names, ",") {
		words := strings.Fields(name)
		if len(words) == 0 {
			return nil, fmt.Errorf("an empty name")
		}
		if i == 0 {
			above = words[:len(words)-1]
		} else {
			words = slices.Concat(above, words)
		}
		all = append(all, words)
	}
	return all, nil
}

// addOptions reads the options of a row. What it says itself wins over what a
// group says.
func (r *row) addOptions(words []string, groups map[string][]string) error {
	for _, word := range words {
		if word[0] == '@' {
			continue
		}
		if err := r.addOption(word, false); err != nil {
			return err
		}
	}
	for _, group := range words {
		if group[0] != '@' {
			continue
		}
		if groups[group] == nil {
			return fmt.Errorf("no group %s", group)
		}
		for _, word := range groups[group] {
			if err := r.addOption(word, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// kinds are the words for what an operand or a value is; use.effect says what
// each leads to.
var kinds = strings.Fields(`data place read write edit tree out readtree dest from to host net remote chdir
	shell code run argv joined opaque unknown gitconfig sshoption atread formread inplace archive replaces beside page format numbered upload shellwith
	placeread spec treespec writespec edittree backup`)

// addOption reads one option: its names, then nothing, ":", "=kind", "?",
// "?kind" or "!meaning". "-abc" without any are three flags, "-abc:" three
// options with a value.
func (r *row) addOption(word string, group bool) error {
	if word == "*" {
		r.others = true
		return nil
	}
	o := option{kind: "data"}
	names := word
	if i := strings.IndexAny(word, ":=?!"); i > 0 {
		names, o.takes = word[:i], word[i]
		rest := word[i+1:]
		switch {
		case o.takes == '!':
			o.takes, o.meaning = 0, rest
		case rest != "":
			o.kind = rest
		}
		if o.takes == '=' {
			o.takes = ':'
		}
	}
	if names[0] != '-' {
		return fmt.Errorf("option %q is none", names)
	}
	if !slices.Contains(kinds, o.kind) {
		return fmt.Errorf("option %s: no kind %q", word, o.kind)
	}
	if strings.HasPrefix(names, "--") || strings.Contains(names, ",") || len(names) == 2 || r.has("longdash") {
		o.names = strings.Split(names, ",")
		return r.listOption(&o, group)
	}
	for _, letter := range strings.TrimPrefix(names, "-") {
		each := o
		each.names = []string{"-" + string(letter)}
		if err := r.listOption(&each, group); err != nil {
			return err
		}
	}
	return nil
}

func (r *row) listOption(o *option, group bool) error {
	for _, name := range o.names {
		if r.options[name] != nil && group {
			continue
		}
		if !strings.HasPrefix(name, "-") || r.options[name] != nil {
			return fmt.Errorf("option %q is none, or stands twice", name)
		}
		r.options[name] = o
	}
	return nil
}

// named returns the options that a word may name, exactly or abbreviated.
func (r *row) named(name string) []*option {
	if o := r.options[name]; o != nil {
		return []*option{o}
	}
	var found []*option
	if len(name) > 2 && strings.HasPrefix(name, "--") {
		for full, o := range r.options {
			if strings.HasPrefix(full, name) && !slices.Contains(found, o) {
				found = append(found, o)
			}
		}
	}
	slices.SortFunc(found, func(a, b *option) int { return slices.Compare(a.names, b.names) })
	return found
}

// acts says whether any option of the row has an effect, or may: then a word
// that is not known may be such an option.
func (r *row) acts() bool {
	if len(r.subs) > 0 || r.has("stop") {
		return true
	}
	for _, o := range r.options {
		if o.acts() {
			return true
		}
	}
	return false
}

// systemFolders hold the programs that the table means.
var systemFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"}

// findProgram returns the row for a program and its name without folder, "test"
// for "[". ok is false where the first word is a file of another folder.
func findProgram(word string) (r *row, name string, ok bool) {
	if strings.Contains(word, "/") {
		if !slices.Contains(systemFolders, path.Dir(word)) {
			return nil, word, false
		}
		word = path.Base(word)
	}
	if word == "[" {
		word = "test"
	}
	return table().programs[word], word, true
}
