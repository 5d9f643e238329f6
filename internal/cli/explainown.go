package cli

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// printOwn says once of each program what belongs to running it, what is small left
// out.
func (a *app) printOwn(analysis shell.Analysis) {
	var programs []string
	verbs, whats := map[string][]string{}, map[string][]string{} // by program; by program and verb
	add := func(to map[string][]string, key, text string) {
		if !slices.Contains(to[key], text) {
			to[key] = append(to[key], text)
		}
	}
	for _, e := range analysis.Effects {
		for _, o := range shell.OwnOf(e.Name) {
			if o.Small {
				continue
			}
			program, verb := e.Name[0], ownVerbs(o)
			if verbs[program] == nil {
				programs = append(programs, program)
			}
			add(verbs, program, verb)
			add(whats, program+" "+verb, o.What)
		}
	}
	for _, program := range programs {
		var parts []string
		for _, verb := range verbs[program] {
			parts = append(parts, verb+" "+strings.Join(whats[program+" "+verb], ", "))
		}
		a.line("", a.style().faint(program+" itself: "+strings.Join(parts, "; ")), 2)
	}
}

// ownVerbs says what a program does with what is its own.
func ownVerbs(o shell.Own) string {
	if o.Names {
		return "looks up"
	}
	verbs := map[shell.Kind]string{shell.Read: "reads", shell.Write: "writes", shell.Execute: "runs", shell.Network: "asks"}
	words := make([]string, len(o.Kinds))
	for i, kind := range o.Kinds {
		words[i] = verbs[kind]
	}
	return strings.Join(words, " and ")
}

// ownJSON is a part of what belongs to running a program, for machines.
type ownJSON struct {
	What     string   `json:"what"`
	Small    bool     `json:"small,omitempty"`
	Kinds    []string `json:"kinds"`
	Names    bool     `json:"names,omitempty"` // only names, where links lead, and that a file is not there
	Patterns []string `json:"patterns"`
}

func ownOf(e shell.Effect) (all []ownJSON) {
	for _, o := range shell.OwnOf(e.Name) {
		own := ownJSON{What: o.What, Small: o.Small, Names: o.Names, Patterns: o.Patterns}
		for _, kind := range o.Kinds {
			own.Kinds = append(own.Kinds, kind.String())
		}
		all = append(all, own)
	}
	return all
}
