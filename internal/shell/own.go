package shell

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// ownText is the table of what belongs to running a program; its head explains the
// format and the words of the patterns.
//
//go:embed own.tbl
var ownText string

// ownTable returns the parsed table, by program and subcommand with a space between.
// A defect in it is found by every test.
var ownTable = sync.OnceValue(func() map[string][]Own {
	t, err := parseOwn(ownText)
	if err != nil {
		panic(err)
	}
	return t
})

// Own is a part of what belongs to running a program: what it does by itself,
// whatever its words say, with its store, its settings, or the programs that it is
// made of. Whoever lets the program run lets it do that; no [Effect] lists it.
type Own struct {
	What     string   // for people: "its store"
	Small    bool     // a look at what every machine has, such as the names of hosts
	Kinds    []Kind   // what it does with that
	Names    bool     // of Read: only names in folders, where links lead, and that a file is not there
	Patterns []string // files, programs or addresses, as the head of own.tbl explains them
}

// OwnOf returns what belongs to running a program, given as [Effect.Name] has it.
// Programs that are part of it have what is theirs beside that.
func OwnOf(name []string) (all []Own) {
	for n := range name {
		all = append(all, ownTable()[strings.Join(name[:n+1], " ")]...)
	}
	return all
}

// ownKinds are the letters of the table.
var ownKinds = map[rune]Kind{'r': Read, 'l': Read, 'w': Write, 'x': Execute, 'n': Network}

// parseOwn reads "programs | what | kinds | patterns".
func parseOwn(text string) (map[string][]Own, error) {
	t := map[string][]Own{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := addOwn(t, line); err != nil {
			return nil, fmt.Errorf("own.tbl:%d: %w", number, err)
		}
	}
	return t, nil
}

func addOwn(t map[string][]Own, line string) error {
	columns := strings.Split(line, "|")
	if len(columns) != 4 {
		return fmt.Errorf("want 4 columns, found %d", len(columns))
	}
	what, kinds := strings.TrimSpace(columns[1]), strings.TrimSpace(columns[2])
	o := Own{What: strings.Trim(what, "()"), Small: strings.HasPrefix(what, "("), Names: kinds == "l", Patterns: strings.Fields(columns[3])}
	for _, letter := range kinds {
		kind, ok := ownKinds[letter]
		if !ok || letter == 'l' && !o.Names {
			return fmt.Errorf("kinds %q: want l, or some of rwxn", kinds)
		}
		o.Kinds = append(o.Kinds, kind)
	}
	if o.What == "" || len(o.Kinds) == 0 || len(o.Patterns) == 0 {
		return fmt.Errorf("an empty column")
	}
	names, err := spelledNames(columns[0])
	for _, name := range names {
		key := strings.Join(name, " ")
		t[key] = append(t[key], o)
	}
	return err
}
