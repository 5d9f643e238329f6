package corpus

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/toolcall"
)

// bashInput is the input of a bash row.
type bashInput struct {
	Tool     string         `json:"tool"`
	Command  string         `json:"command"`
	Cwd      string         `json:"cwd"`
	Allow    []string       `json:"allow"`
	Deny     []string       `json:"deny"`
	Approve  []string       `json:"approve"`
	Default  string         `json:"default"`
	Resolved map[string]any `json:"resolved"`            // file of a program, by its name
	FoldsFS  bool           `json:"case_insensitive_fs"` // a never clause folds names on every disk
	Judge    string         `json:"judge"`               // no row has a clause for one
}

// ownHosts are the hosts of programs that talk to one service only. The corpus has
// no word for hosts: a row that allows such a program allows that.
var ownHosts = []string{"github.com"}

// bashAgent makes the calls of bash rows.
const bashAgent = "agent"

func translateBash(input []byte) (play, error) {
	var in bashInput
	if err := strict(input, &in); err != nil {
		return play{}, err
	}
	switch {
	case in.Tool == "" || in.Command == "" || in.Cwd == "" || in.Default != "BLOCK":
		return play{}, fmt.Errorf("a row needs a tool, a command, a cwd and the default BLOCK")
	case in.Judge != "" && in.Judge != "unavailable":
		return play{}, fmt.Errorf("the judge %q is not known", in.Judge)
	}
	programs, folders, err := in.planted()
	if err != nil {
		return play{}, err
	}
	writes := []string{project}
	if in.Resolved[agentWritable] == true {
		for _, dir := range folders {
			writes = append(writes, dir+"/**")
		}
	}
	rule, err := in.rule(writes)
	if err != nil {
		return play{}, err
	}
	schema := pairs("type", text("object"), "properties", pairs("command", pairs("type", text("string"))), "required", texts([]string{"command"}))
	return play{
		files: programs,
		path:  strings.Join(folders, string(filepath.ListSeparator)),
		draft: draft{
			tools:  map[string][]toolcall.Value{onlyServer: {tool(in.Tool, "", schema)}},
			agents: map[string]map[string]toolcall.Value{bashAgent: {onlyServer + "." + in.Tool: rule}},
		},
		steps: []cases.Step{{Act: cases.Call{
			Agent: bashAgent, Session: "s1", Server: onlyServer, Tool: in.Tool, Cwd: in.move(in.Cwd),
			Arguments: pairs("command", text(in.move(in.Command))),
		}}},
	}, nil
}

// move puts the folders that a row names to those of the case.
func (in bashInput) move(s string) string {
	return strings.NewReplacer(in.Cwd, "${workspace}", "/home/u/", "${home}/").Replace(s)
}

// project is what a command that a row allows may touch.
const project = "${workspace}/**"

// agentWritable is the member of "resolved" that names no program: whether the agent
// can write where these lie.
const agentWritable = "agent_writable"

// planted are the files to which "resolved" leads names of programs, and the folders
// in which they lie.
func (in bashInput) planted() (files []cases.File, folders []string, err error) {
	for name, v := range in.Resolved {
		file, isText := v.(string)
		_, isFlag := v.(bool)
		switch file = in.move(file); {
		case name == agentWritable && isFlag:
		case name == agentWritable || !isText || path.Base(file) != name || !strings.HasPrefix(file, "${"):
			return nil, nil, fmt.Errorf("the program %q of resolved, %v, is not known", name, v)
		default:
			files = append(files, cases.File{Path: file, Content: "#!/bin/sh\n", Runs: true})
			folders = append(folders, path.Dir(file))
		}
	}
	slices.SortFunc(files, func(a, b cases.File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(folders)
	return files, slices.Compact(folders), nil
}

// rule writes the entries as one clause of each step. A command that a row
// allows may do what it does inside, read files of the project and write what is
// said; where it does more, the row expects it to be stopped.
func (in bashInput) rule(writes []string) (toolcall.Value, error) {
	members := map[string]toolcall.Value{}
	for word, entries := range map[string][]string{"allow": in.Allow, "approve": in.Approve} {
		for _, entry := range entries {
			if effect, _, ok := strings.Cut(entry, ":"); ok && !strings.Contains(effect, " ") {
				return toolcall.Value{}, fmt.Errorf("the entry %q of %s is not known", entry, word)
			}
		}
		if len(entries) > 0 {
			members[word] = onCommand(map[string]toolcall.Value{
				"run": texts(entries), "opaque": texts(entries), "read": texts([]string{project}), "write": texts(writes), "net": texts(ownHosts),
			})
		}
	}
	denied := map[string][]string{}
	for _, entry := range in.Deny {
		switch effect, pattern, ok := strings.Cut(entry, ":"); {
		case !ok:
			denied["run"] = append(denied["run"], entry)
		case effect == "read" || effect == "write":
			denied[effect] = append(denied[effect], in.place(pattern))
		default:
			return toolcall.Value{}, fmt.Errorf("the entry %q of deny is not known", entry)
		}
	}
	if len(denied) > 0 {
		never := map[string]toolcall.Value{}
		for word, entries := range denied {
			never[word] = texts(entries)
		}
		members["never"] = onCommand(never)
	}
	return object(members), nil
}

// onCommand is a list of one clause about the command.
func onCommand(shell map[string]toolcall.Value) toolcall.Value {
	return toolcall.ArrayOf(pairs("command", pairs("shell", object(shell))))
}

// place writes a pattern of a row as contracts do.
func (in bashInput) place(pattern string) string {
	if rest, home := strings.CutPrefix(pattern, "~/"); home {
		return "${home}/" + rest
	}
	if strings.HasPrefix(pattern, "/") {
		return in.move(pattern)
	}
	return "${workspace}/" + pattern
}
