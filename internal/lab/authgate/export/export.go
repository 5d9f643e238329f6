// Package export writes a data set of the benchmark as test cases of other programs:
// samples of Inspect (UK AISI) and test cases of promptfoo, one JSON object a line.
//
// A case has what a judge may see and, as its target, what is right. Role, mode, pair
// and rationale are not in it, its id says nothing of them, and the order of the
// cases is that of the ids.
//
// Inspect reads "input" (text), "target", "id" and "metadata" of a line with its
// json_dataset. promptfoo reads "vars", "assert" and "metadata", and replaces what
// looks like a template in a variable, by code that the template contains: texts of a
// data set are written so that none is one.
package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
)

// Format is a program's form of test cases.
type Format string

// The formats.
const (
	Inspect   Format = "inspect"
	Promptfoo Format = "promptfoo"
)

// Formats are all of them.
var Formats = []Format{Inspect, Promptfoo}

// Options say what is written.
type Options struct {
	Format     Format
	Observed   bool // with observations of the environment
	NearMisses bool // also those, which are no part of the pairs
}

// shown is what a judge may see, as the text of a case.
type shown struct {
	Request      []string      `json:"request"`
	Trajectory   []item.Step   `json:"trajectory"`
	Action       item.Action   `json:"action"`
	Observations []observation `json:"observations,omitempty"`
}

// observation is one without its check.
type observation struct {
	Collector string         `json:"collector"`
	Key       string         `json:"key"`
	Value     jsontext.Value `json:"value"`
	AgeS      int            `json:"age_s"`
	Complete  bool           `json:"complete"`
}

// metadata says where a case is from.
type metadata struct {
	Dataset string      `json:"dataset"`
	Digest  string      `json:"digest"`
	License string      `json:"license"`
	Form    result.Form `json:"form"`
}

type inspectSample struct {
	ID       string    `json:"id"`
	Input    string    `json:"input"`
	Target   item.Gold `json:"target"`
	Metadata metadata  `json:"metadata"`
}

type promptfooCase struct {
	Vars     map[string]string `json:"vars"`
	Assert   []assertion       `json:"assert"`
	Metadata promptfooMetadata `json:"metadata"`
}

type assertion struct {
	Type  string    `json:"type"`
	Value item.Gold `json:"value"`
}

// promptfooMetadata has the id too: a case of promptfoo has no member for one.
type promptfooMetadata struct {
	ID string `json:"id"`
	metadata
}

// Write writes the cases of a data set.
func Write(out io.Writer, s *item.Set, o Options) error {
	type line struct {
		id   string
		text []byte
	}
	var all []line
	for n, visible := range run.Items(s) {
		i := &s.Instances[n]
		if i.Role == item.NearMiss && !o.NearMisses {
			continue
		}
		id := idOf(s, i)
		text, err := caseOf(s, i, id, visible.Visible, o)
		if err != nil {
			return fmt.Errorf("writing %s: %w", i.ID, err)
		}
		all = append(all, line{id, text})
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.id, b.id) })
	for n, l := range all {
		if n > 0 && all[n-1].id == l.id {
			return fmt.Errorf("two cases have the id %s", l.id)
		}
		if _, err := out.Write(append(l.text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// idOf names a case by a hash, which says nothing of its pair or role.
func idOf(s *item.Set, i *item.Instance) string {
	sum := sha256.Sum256([]byte(s.Manifest.DatasetDigest + "\n" + i.ID))
	return fmt.Sprintf("%x", sum[:8])
}

func caseOf(s *item.Set, i *item.Instance, id string, v run.Visible, o Options) ([]byte, error) {
	text, err := textOf(v, o.Observed)
	if err != nil {
		return nil, err
	}
	m := metadata{Dataset: s.Manifest.Name, Digest: s.Manifest.DatasetDigest, License: i.License, Form: result.Plain}
	if o.Observed {
		m.Form = result.Signals
	}
	var line any
	switch o.Format {
	case Inspect:
		line = inspectSample{id, string(text), i.Label.Gold, m}
	case Promptfoo:
		line = promptfooCase{map[string]string{"case": string(noTemplate(text))}, []assertion{{"equals", i.Label.Gold}}, promptfooMetadata{id, m}}
	default:
		return nil, fmt.Errorf("the format %q is none of %q", o.Format, Formats)
	}
	return json.Marshal(line, json.Deterministic(true))
}

// textOf is what a judge may see, as JSON.
func textOf(v run.Visible, observed bool) ([]byte, error) {
	all := shown{Request: v.Turns(), Trajectory: v.Trajectory, Action: v.Action}
	for _, o := range v.Observations {
		if observed {
			all.Observations = append(all.Observations, observation{o.Collector, o.Key, o.Value, o.AgeS, o.Complete})
		}
	}
	return json.Marshal(all)
}

// noTemplate returns the same JSON with a character of each "{{", "{%", "{#" and "#}"
// written as an escape: the first three open a template, and the last, alone, is an
// error of one. They stand in strings alone: in JSON, no object begins or ends so.
func noTemplate(text []byte) []byte {
	for _, c := range "{%#" {
		escaped := fmt.Appendf(nil, `{\u%04x`, c)
		text = bytes.ReplaceAll(text, []byte{'{', byte(c)}, escaped)
	}
	return bytes.ReplaceAll(text, []byte("#}"), []byte(`\u0023}`))
}
