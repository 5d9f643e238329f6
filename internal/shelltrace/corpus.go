package shelltrace

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed testdata/*.txt
var data embed.FS

// Kinds of commands, by where they come from.
const (
	collected = "collected" // from documentation and scripts of others
	everyday  = "everyday"  // written by hand, as coding agents write them
	template  = "templates" // made from parts
)

// entry is a command of the corpus.
type entry struct{ kind, source, command string }

// perTemplate is how many commands a template makes at most.
const perTemplate = 48

// corpus returns all commands, each once.
func corpus() ([]entry, error) {
	var all []entry
	seen := map[string]bool{}
	add := func(kind, source, command string) {
		if form := strings.Join(strings.Fields(command), " "); !seen[form] {
			seen[form] = true
			all = append(all, entry{kind, source, command})
		}
	}
	for _, kind := range []string{collected, everyday, template} {
		text, err := data.ReadFile("testdata/" + kind + ".txt")
		if err != nil {
			return nil, fmt.Errorf("reading commands: %w", err)
		}
		if kind == template {
			commands, err := expand(string(text))
			if err != nil {
				return nil, err
			}
			for _, c := range commands {
				add(kind, kind, c)
			}
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			source, command, found := strings.Cut(line, "\t")
			if !found {
				source, command = kind, line
			}
			if plain, err := strconv.Unquote(command); err == nil && strings.HasPrefix(command, `"`) {
				command = plain
			}
			add(kind, source, command)
		}
	}
	return all, nil
}

// expand makes commands from templates; the head of templates.txt says how.
func expand(text string) (commands []string, err error) {
	parts := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "@"):
			name, list, _ := strings.Cut(line[1:], " ")
			parts[name] = strings.Split(list, " | ")
		default:
			made := []string{line}
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				list := parts[name]
				if !strings.Contains(line, "{"+name+"}") {
					continue
				}
				var more []string
				for _, part := range list {
					for _, m := range made {
						more = append(more, strings.ReplaceAll(m, "{"+name+"}", part))
					}
				}
				made = more
			}
			if len(made) == 1 {
				return nil, fmt.Errorf("template without parts: %s", line)
			}
			for i := range min(len(made), perTemplate) {
				commands = append(commands, made[i*len(made)/min(len(made), perTemplate)])
			}
		}
	}
	return commands, nil
}
