package item

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/yamlwalk"
)

// header is set.yaml: what all drafts of a data set have in common.
type header struct {
	Name         string    `json:"name"`
	Version      string    `json:"version"`
	Created      string    `json:"created"`
	Major        int       `json:"major"` // in ids
	Generator    Generator `json:"generator"`
	Domains      []string  `json:"domains"`
	ToolFamilies []string  `json:"tool_families"`
	Parent       *string   `json:"parent"`
	Changes      []string  `json:"changes"`
}

// drafts is one file of drafts: the pairs of one mode.
type drafts struct {
	Mode  Mode    `json:"mode"`
	Pairs []draft `json:"pairs"`
}

// draft is a pair as people write it: what its rows share stands there once.
type draft struct {
	Slot       string                      `json:"slot"`
	Draft      int                         `json:"draft"` // counts the attempts at the slot, from 1; left out is 1
	Domain     string                      `json:"domain"`
	ToolFamily string                      `json:"tool_family"`
	Trajectory []draftCall                 `json:"trajectory"`
	Action     draftCall                   `json:"action"`
	Effects    []string                    `json:"effects"` // "OP KIND TARGET"
	Signals    []map[string]jsontext.Value `json:"signals"` // {COLLECTOR.KEY: VALUE}, one in each
	Partial    []string                    `json:"partial"` // signals that are not complete
	Base       draftRequest                `json:"base"`
	Inverted   draftRequest                `json:"inverted"`
	NearMiss   *draftRequest               `json:"near_miss"` // left out where there is none
}

// draftCall is a call. Run is a command line for the tool bash.
type draftCall struct {
	Run    string         `json:"run"`
	Tool   string         `json:"tool"`
	Args   jsontext.Value `json:"args"`
	Cwd    string         `json:"cwd"`
	Result *string        `json:"result"`
}

// draftRequest is one of the three requests. Covers and Forbids lead from
// effects ("f1", or "f1 f2") to words of the request.
type draftRequest struct {
	Kind    *string           `json:"kind"` // of a near-miss
	Says    []string          `json:"says"` // turns
	Why     string            `json:"why"`
	Covers  map[string]string `json:"covers"`
	Forbids map[string]string `json:"forbids"`
}

// readYAML reads a file of drafts into v, strictly.
func readYAML(dir, name string, v any) error {
	text, err := readFile(dir, name)
	if err != nil {
		return err
	}
	return DecodeYAML(filepath.Join(dir, name), "drafts", text, v)
}

// DecodeYAML reads a text in YAML into v, strictly: a member that v does not know is
// an error. path and what (such as "drafts") stand for the text in errors.
func DecodeYAML(path, what string, text []byte, v any) error {
	r := &yamlwalk.Reader{File: path, What: what}
	root := r.Parse(text)
	if root == nil && len(r.Problems) == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	if len(r.Problems) > 0 {
		return r.Problems
	}
	value, ok := r.Value(root)
	if !ok {
		return r.Problems
	}
	err := json.Unmarshal([]byte(value.Canonical()), v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	line := root.Line
	if at, ok := errorPointer(err); ok {
		line = root.Find(at).Line
	}
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// ReadDrafts reads set.yaml and pairs/*.yaml of a data set and makes its rows,
// with digests, clusters, split and how far their review has come. Pairs that were
// ruled to be given up are left out.
func ReadDrafts(dir string) (*Set, error) {
	var h header
	if err := readYAML(dir, "set.yaml", &h); err != nil {
		return nil, err
	}
	tools, err := readTools(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{Tools: tools, dir: dir}
	entries, err := os.ReadDir(filepath.Join(dir, "pairs"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var file drafts
		if err := readYAML(dir, filepath.Join("pairs", e.Name()), &file); err != nil {
			return nil, err
		}
		for _, d := range file.Pairs {
			if err := s.add(h, file.Mode, d); err != nil {
				return nil, fmt.Errorf("%s: pair %s: %w", filepath.Join(dir, "pairs", e.Name()), d.Slot, err)
			}
		}
	}
	return s, s.complete(h)
}

// complete adds to rows what follows from their reviews and from all of them together,
// leaves out the pairs that were ruled to be given up, and describes the set.
func (s *Set) complete(h header) error {
	if err := s.readReviews(); err != nil {
		return err
	}
	s.finish()
	given, err := s.dropRuled()
	if err != nil {
		return err
	}
	if given {
		s.finish() // neighbours and split follow from the pairs that stay
	}
	s.Manifest, err = s.manifest(h)
	return err
}

// add makes the rows of a pair.
func (s *Set) add(h header, mode Mode, d draft) error {
	visible, err := d.visible()
	if err != nil {
		return err
	}
	effects, err := d.effects()
	if err != nil {
		return err
	}
	pair := fmt.Sprintf("ag%d-%s", h.Major, d.Slot)
	for _, role := range Roles {
		said := map[Role]*draftRequest{Base: &d.Base, Inverted: &d.Inverted, NearMiss: d.NearMiss}[role]
		if said == nil {
			continue
		}
		i := Instance{
			Schema: InstanceSchema, ID: pair + "-" + suffixes[role], PairID: pair, Role: role, Mode: mode,
			Domain: d.Domain, ToolFamily: d.ToolFamily, Visible: visible,
			Provenance: Provenance{Origin: d.origin(h, role), Slot: d.Slot},
			Review:     Review{Status: "pending"}, License: License,
		}
		for n, text := range said.Says {
			i.Visible.Request = append(i.Visible.Request, Turn{n + 1, text})
		}
		i.Label = Label{
			Gold: role.Gold(), Rationale: said.Why, NearMissKind: said.Kind, Effects: effects,
			Coverage: said.spans(said.Covers), Boundaries: said.spans(said.Forbids),
		}
		s.Instances = append(s.Instances, i)
	}
	row, err := d.signals(h, pair)
	s.Signals = append(s.Signals, row)
	return err
}

// origin says who wrote a row. Signals have no role.
func (d draft) origin(h header, role Role) Origin {
	o := Origin{Stage: stages[role], Generator: h.Generator, Created: h.Created, Draft: d.Slot}
	part := map[Role]string{Base: "", Inverted: ".inv", NearMiss: ".near"}
	if role == "" {
		o.Stage, o.Draft = "III", d.Slot+".sig"
	}
	o.Draft += fmt.Sprintf("%s.d%d", part[role], max(1, d.Draft))
	return o
}

func (d draft) visible() (v Visible, err error) {
	for n, c := range d.Trajectory {
		args, tool, err := c.call()
		if err != nil {
			return v, fmt.Errorf("step %d: %w", n+1, err)
		}
		v.Trajectory = append(v.Trajectory, Step{n + 1, tool, args, c.Result})
	}
	args, tool, err := d.Action.call()
	if err != nil {
		return v, fmt.Errorf("the action: %w", err)
	}
	if d.Action.Result != nil {
		return v, errors.New("the action has a result, but it has not run")
	}
	v.Action = Action{tool, d.Action.Cwd, args}
	return v, nil
}

func (c draftCall) call() (args jsontext.Value, tool string, err error) {
	switch {
	case c.Run != "" && c.Tool == "" && c.Args == nil:
		args, err = json.Marshal(map[string]string{"command": c.Run})
		return args, "bash", err
	case c.Run == "" && c.Tool != "" && c.Args != nil:
		return c.Args, c.Tool, nil
	}
	return nil, "", errors.New("has neither run alone nor tool and args")
}

func (d draft) effects() (all []Effect, err error) {
	for n, text := range d.Effects {
		parts := strings.SplitN(text, " ", 3)
		if len(parts) < 3 {
			return nil, fmt.Errorf("effect %q is not OP KIND TARGET", text)
		}
		all = append(all, Effect{fmt.Sprintf("f%d", n+1), parts[0], parts[1], parts[2]})
	}
	return all, nil
}

// spans are the quotes for effects, each in the first turn that has it.
func (r draftRequest) spans(quotes map[string]string) []Span {
	spans := []Span{}
	for effects, quote := range quotes {
		turn := slices.IndexFunc(r.Says, func(said string) bool { return strings.Contains(said, quote) }) + 1
		for _, e := range strings.Fields(effects) {
			spans = append(spans, Span{e, turn, quote})
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return strings.Compare(a.Effect+" "+a.Quote, b.Effect+" "+b.Quote) })
	return spans
}

func (d draft) signals(h header, pair string) (Signals, error) {
	row := Signals{Schema: SignalsSchema, PairID: pair, Observations: []Observation{}, Provenance: d.origin(h, "")}
	partial := map[string]bool{}
	for _, name := range d.Partial {
		partial[name] = true
	}
	for n, one := range d.Signals {
		if len(one) != 1 {
			return row, fmt.Errorf("signal %d is not one COLLECTOR.KEY with its value", n+1)
		}
		for name, value := range one {
			from, key, _ := strings.Cut(name, ".")
			row.Observations = append(row.Observations, Observation{
				ID: fmt.Sprintf("s%d", n+1), Collector: from, Key: key, Value: value,
				Check: collectors[from][key].check, Complete: !partial[name],
			})
			delete(partial, name)
		}
	}
	for name := range partial {
		return row, fmt.Errorf("no signal is called %s, which is said to be partial", name)
	}
	return row, nil
}
