package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Sheet is what an agent knows of a task beside the prompt: what the prompt says,
// taken apart, and, for the oracle, what is right.
type Sheet struct {
	Task     string
	Seed     int // of the variant
	Lang     string
	Granted  []string
	Roles    []string
	Verdicts []string
	Harness  []string
	Probe    bool

	// Only the oracle reads these.
	Lines   []Line
	Verdict string
	CWE     string
	Inputs  []string // in hexadecimal digits; none where none is asked for
	Patch   string   // a unified diff; "" = none is asked for
}

// Line is a line that plays a role.
type Line struct {
	Role string
	File string
	Line int // from 1
	Loc  bool
}

func (s Sheet) grants(tool string) bool { return slices.Contains(s.Granted, tool) }

// Names of the agents.
const (
	Oracle         = "oracle"
	NoOp           = "no-op"
	Refuser        = "refuser"
	ListEverything = "list-everything"
	Unsafe         = "unsafe"
	Malformed      = "malformed"
	Suppressor     = "suppressor"
	Placeholder    = "placeholder"
	Grep           = "grep"
	Forger         = "forger"
	Stale          = "stale"
	Contradictor   = "contradictor"
)

// step makes one answer of an agent from the turns so far.
type step func(s Sheet, q model.Request) model.Answer

// scripts are the agents. Turn n is answered by step n, and by the last one from
// then on.
var scripts = map[string][]step{
	Oracle:         {look, readGold, act, report},
	NoOp:           {look, silent},
	Refuser:        {refuse},
	ListEverything: {overTheCaps, look, lookBelow, readHeads, everything, silent},
	Unsafe:         {findKey, outside, around, exhaust},
	Malformed:      {halfReadable},
	Suppressor:     {look, readFirst, withhold, silent},
	Placeholder:    {look, readFirst, claimNothing, silent},
	Grep:           {grep, firstHits, silent},
	Forger:         {look, readFirst, forge, silent},
	Stale:          {look, runEarly, waste, waste, waste, citeStale, silent},
	Contradictor:   {contradict, refuse},
}

// Names returns the names of all agents that do one thing, the oracle first.
func Names() []string {
	return []string{Oracle, NoOp, Refuser, ListEverything, Unsafe, Malformed, Suppressor, Placeholder, Grep, Forger, Stale, Contradictor}
}

// New returns an agent for a task.
func New(name string, s Sheet) (model.Model, error) {
	steps := scripts[name]
	if steps == nil {
		steps = plays(name, s)
	}
	if steps == nil {
		return nil, fmt.Errorf("there is no scripted agent %q: there are %s, %s", name, strings.Join(Names(), ", "), strings.Join(Planted(), ", "))
	}
	return scripted{steps, s}, nil
}

type scripted struct {
	steps []step
	sheet Sheet
}

// Ask implements model.Model.
func (a scripted) Ask(_ context.Context, q model.Request) (model.Answer, error) {
	answer := a.steps[min(len(q.Turns), len(a.steps)-1)](a.sheet, q)
	answer.Stop = "scripted"
	return answer, nil
}

// call is a call with arguments in JSON.
func call(name, arguments string, parts ...any) model.Call {
	return model.Call{Name: name, Arguments: fmt.Sprintf(arguments, parts...)}
}

func calls(all ...model.Call) model.Answer { return model.Answer{Calls: all} }

func silent(Sheet, model.Request) model.Answer { return model.Answer{} }

func look(Sheet, model.Request) model.Answer { return calls(call("list_dir", `{"path":"."}`)) }

// text writes a text as JSON.
func text(s string) string { return toolcall.StringOf(s).Canonical() }

// results returns the data of all results so far that are ok, in order.
func results(q model.Request) []toolcall.Value {
	var all []toolcall.Value
	for _, t := range q.Turns {
		for _, r := range t.Results {
			if v, err := toolcall.Parse([]byte(r), toolcall.Bounds{}); err == nil && v.Get("status").Text() == "ok" {
				all = append(all, v)
			}
		}
	}
	return all
}

// listed returns the files that were listed, those of the workspace's own folder
// first, and its folders.
func listed(q model.Request) (files, folders []string) {
	i := 0
	for _, r := range results(q) {
		entries := r.Get("data").Get("entries")
		if entries.Kind() != toolcall.Array {
			continue
		}
		prefix := ""
		if i > 0 && i <= len(folders) {
			prefix = folders[i-1] + "/"
		}
		for n := range entries.Len() {
			name := entries.Elem(n).Get("name").Text()
			if entries.Elem(n).Get("type").Text() == "file" {
				files = append(files, prefix+name)
			} else if i == 0 {
				folders = append(folders, name)
			}
		}
		i++
	}
	return files, folders
}

// shown returns line n of a file as a result showed it, "" if none did.
func shown(q model.Request, file string, n int) string {
	for _, r := range results(q) {
		d := r.Get("data")
		first, _ := d.Get("start").Number().Int64()
		last, _ := d.Get("end").Number().Int64()
		if d.Get("path").Text() == file && int64(n) >= first && int64(n) <= last {
			return strings.Split(d.Get("text").Text(), "\n")[n-int(first)]
		}
	}
	return ""
}

// span writes a span of one line.
func span(file string, line int, quote string) string {
	return fmt.Sprintf(`{"file":%s,"start":%d,"end":%d,"quote":%s}`, text(file), line, line, text(quote))
}

// answer is a report.
type answer struct {
	status, verdict, cwe      string
	locations, evidence, refs []string // in JSON
	receipts                  []string
	summary                   string
}

func (a answer) submit() model.Call {
	list := func(items []string) string { return "[" + strings.Join(items, ",") + "]" }
	var receipts []string
	for _, r := range a.receipts {
		receipts = append(receipts, text(r))
	}
	return call("submit", `{"status":%s,"verdict":%s,"cwe":%s,"locations":%s,"evidence":%s,"input_ref":%s,"receipt_ids":%s,"summary":%s}`,
		text(a.status), text(a.verdict), text(a.cwe), list(a.locations), list(a.evidence), list(a.refs), list(receipts), text(a.summary))
}

func evidence(role, span string) string {
	return fmt.Sprintf(`{"role":%s,"span":%s}`, text(role), span)
}
