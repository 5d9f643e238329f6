package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Case returns the story as a case for a case file, with holes where a person
// says what is right and why: an expectation that the contract wrote itself
// would say nothing about it.
func (s *Suggestion) Case() string {
	var b strings.Builder
	b.WriteString("- name: …\n  why: …\n")
	if len(s.Files) > 0 {
		fmt.Fprintf(&b, "  files: %s\n", filesValue(s.Files).Canonical())
	}
	if len(s.Steps) == 1 && s.Steps[0].Repeat <= 1 && s.Breaks == "" {
		fmt.Fprintf(&b, "  call: %s\n  expect: %s\n", callValue(s.Steps[0].Act.(cases.Call)).Canonical(), s.hole())
		return b.String()
	}
	b.WriteString("  steps:\n")
	for i, step := range s.Steps {
		fmt.Fprintf(&b, "  - %s\n", actText(step.Act))
		if step.Repeat > 1 && i == len(s.Steps)-1 {
			fmt.Fprintf(&b, "    repeat: %d   # the last one is the call in question\n", step.Repeat)
		} else if step.Repeat > 1 {
			fmt.Fprintf(&b, "    repeat: %d\n", step.Repeat)
		}
		if c, call := step.Act.(cases.Call); call && i < len(s.Steps)-1 {
			if c.Result.Kind() != toolcall.Absent {
				fmt.Fprintf(&b, "    result: %s\n", resultValue(c.Result).Canonical())
			}
			b.WriteString("    expect: …\n")
		}
	}
	if s.Breaks == "" {
		fmt.Fprintf(&b, "    expect: %s\n", s.hole())
	} else {
		fmt.Fprintf(&b, "    # with the change: %s\n", s.Breaks)
	}
	return b.String()
}

// hole is what stands in place of the expectation.
func (s *Suggestion) hole() string {
	return fmt.Sprintf("…   # now %s, with the change %s", worded(s.Contract, s.Mutant), worded(s.Mutant, s.Contract))
}

// actText returns a step as case files write it.
func actText(a cases.Act) string {
	switch a := a.(type) {
	case cases.Call:
		return "call: " + callValue(a).Canonical()
	case cases.Turn:
		return "turn: " + toolcall.StringOf(a.Text).Canonical()
	case cases.Answered:
		return a.Word() + ": " + a.By
	case cases.TurnedAway:
		return a.Word() + ": " + a.By
	case cases.Wait:
		return fmt.Sprintf("wait: %ds", int64(a.For.Seconds()))
	case cases.ContractEdit:
		return "contract: " + toolcall.ObjectOf(member("replace", toolcall.StringOf(a.Replace)), member("with", toolcall.StringOf(a.With))).Canonical()
	case cases.DefinitionEdit:
		return "definition: " + toolcall.ObjectOf(member("server", toolcall.StringOf(a.Server)), member("tool", toolcall.StringOf(a.Tool)), member("set", a.Set)).Canonical()
	}
	return a.Word() + ": …"
}

func member(name string, v toolcall.Value) toolcall.Member {
	return toolcall.Member{Name: name, Value: v}
}

// callValue returns a call with the words of case files.
func callValue(c cases.Call) toolcall.Value {
	all := []toolcall.Member{member("agent", toolcall.StringOf(c.Agent)), member("server", toolcall.StringOf(c.Server)),
		member("tool", toolcall.StringOf(c.Tool))}
	if c.Arguments.Len() > 0 {
		all = append(all, member("arguments", c.Arguments))
	}
	if c.Session != "case" {
		all = append(all, member("session", toolcall.StringOf(c.Session)))
	}
	for word, text := range map[string]string{"user": c.User, "cwd": c.Cwd, "approval": c.Approval} {
		if text != "" {
			all = append(all, member(word, toolcall.StringOf(text)))
		}
	}
	if len(c.Request) > 0 {
		all = append(all, member("request", toolcall.ArrayOf(strs(slices.Clone(c.Request)...)...)))
	}
	var past []toolcall.Value
	for _, p := range c.History {
		past = append(past, toolcall.ObjectOf(member("server", toolcall.StringOf(p.Server)), member("tool", toolcall.StringOf(p.Tool)),
			member("result", resultValue(p.Result))))
	}
	if len(past) > 0 {
		all = append(all, member("history", toolcall.ArrayOf(past...)))
	}
	if len(c.Signals) > 0 {
		all = append(all, member("signals", signalsValue(c.Signals)))
	}
	return toolcall.ObjectOf(all...)
}

// signalsValue returns signals as case files write them: of names the list.
func signalsValue(seen []constraint.Signal) toolcall.Value {
	var all []toolcall.Member
	for _, s := range seen {
		v := s.Value
		if v.Kind() == toolcall.Object {
			v = v.Get("names")
		}
		all = append(all, member(s.Name(), v))
	}
	return toolcall.ObjectOf(all...)
}

// resultValue returns what a tool returned as case files write it.
func resultValue(result toolcall.Value) toolcall.Value {
	if v := result.Get("structuredContent"); v.Kind() != toolcall.Absent {
		return v
	}
	if content := elements(result.Get("content")); len(content) > 0 {
		return content[0].Get("text")
	}
	return toolcall.StringOf("")
}

func filesValue(files []cases.File) toolcall.Value {
	var all []toolcall.Member
	for _, f := range files {
		v := toolcall.StringOf(f.Content)
		if f.Link != "" {
			v = toolcall.ObjectOf(member("link", toolcall.StringOf(f.Link)))
		}
		all = append(all, member(f.Path, v))
	}
	return toolcall.ObjectOf(all...)
}
