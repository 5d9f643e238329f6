package model

import (
	"errors"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

// form is what a model is asked for, and the text that asks for it.
type form struct {
	name           string // of the schema
	system, schema string
	read           func(answer string) judge.Opinion
	template       string // digest of all fixed text of a prompt but the policy
	digest         string // of the schema
}

// judgement is the form by which the gate decides; plain has the decision and why,
// and nothing that code could check: its decisions are the model's alone.
var (
	judgement = newForm("judgement", systemText, schemaText, Read, letterLines[:]...)
	plain     = newForm("decision", plainText, plainSchemaText, readPlain)
)

func newForm(name, system, schema string, read func(string) judge.Opinion, more ...string) *form {
	texts := append([]string{system, repairText}, objectLines[:]...)
	return &form{name, system, schema, read, digestOf(append(texts, more...)...), digestOf(schema)}
}

func formOf(isPlain bool) *form {
	if isPlain {
		return plain
	}
	return judgement
}

// Digests returns the digests of the template, which is all fixed text of a prompt
// but the policy, and of the schema of the answer, in the plain form or the other.
func Digests(isPlain bool) (template, schema string) {
	f := formOf(isPlain)
	return f.template, f.digest
}

// prompt returns the text that stands before every case.
func (f *form) prompt(p Policy) string { return strings.Replace(f.system, policyPlace, p.text, 1) }

// readPlain reads an answer of the plain form, as strictly as [Read]. How long the
// rationale is matters to nobody.
func readPlain(answer string) judge.Opinion {
	v, err := toolcall.Parse([]byte(answer), toolcall.Bounds{})
	if err != nil || v.Kind() != toolcall.Object {
		return judge.None(judge.Malformed, notOneObject)
	}
	r := reader{}
	r.keys(v, []string{"decision", "rationale"})
	o := judge.Opinion{Verdict: authz.OpinionBlock, Rationale: r.text(v, "rationale")}
	if r.word(v, "decision", "allow", "block") == "allow" {
		o.Verdict = authz.OpinionAllow
	}
	if len(r.problems) > 0 {
		return judge.None(judge.Schema, strings.Join(r.problems, "; "))
	}
	return o
}

// blocks are those of a prompt in this form, empty ones among them. The plain form
// has what was said, done and seen, and nothing that code made of it.
func (f *form) blocks(c *judge.Case, request block, v View) []block {
	if f == plain {
		return []block{request, trajectoryBlock(c.Calls, v.Results), actionBlock(c.Action), signalsBlock(c.Signals)}
	}
	all := []block{request, boundariesBlock(c.Boundaries), trajectoryBlock(c.Calls, v.Results), actionBlock(c.Action)}
	if !v.NoFacts {
		all = append(all, factsBlock(c))
	}
	if !v.NoSignals {
		all = append(all, signalsBlock(c.Signals))
	}
	return all
}

// takes says whether a form goes with the other options.
func (f *form) takes(o Options) error {
	if f == plain && (o.TwoStage || o.Votes > 1 || o.View.NoFacts || o.View.NoSignals) {
		return errors.New("the plain form has one stage, one vote and one view")
	}
	return nil
}
