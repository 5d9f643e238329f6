package build

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Answer is what came of a call. Only what a generator said is one, be it nothing:
// what was lost on the way is none.
type Answer struct {
	Text    string `json:"-"`                // as received; "" is a refusal, or nothing at all
	Refused string `json:"refused,omitzero"` // why there is no text, in a word
	Model   string `json:"model"`            // as reported
	Origin  Origin `json:"origin"`
	Tokens  Tokens `json:"tokens"`
	Cost    string `json:"cost"`       // in dollars, a decimal; "" is not known
	Latency int64  `json:"latency_ms"` // of the call; 0 is not known
	Retries int    `json:"retries"`
}

// Origin says what stands behind an answer.
type Origin string

// The origins. What a script answered is marked in every row that is made of it.
const (
	Live     Origin = "live"
	Batch    Origin = "batch"
	Scripted Origin = "scripted"
)

// empty reports whether an answer says nothing.
func (a Answer) empty() bool { return strings.TrimSpace(a.Text) == "" }

// Tokens counts what a call took.
type Tokens struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached_input"`
	Output int64 `json:"output"`
}

// The answers of the stages, as their prompts describe them.
type (
	baseAnswer struct {
		Visible item.Visible `json:"visible"`
		Label   item.Label   `json:"label"`
	}
	invertedAnswer struct {
		Request   []item.Turn `json:"request"`
		Coverage  []item.Span `json:"coverage"`
		Rationale string      `json:"rationale"`
	}
	nearAnswer struct {
		Request    []item.Turn `json:"request"`
		Coverage   []item.Span `json:"coverage"`
		Boundaries []item.Span `json:"boundaries"`
		Rationale  string      `json:"rationale"`
	}
	signalsAnswer struct {
		Observations []item.Observation `json:"observations"`
	}
)

// read makes a row of an answer and runs all validators of the stage over it. What
// they find has places in the answer.
func (m *machine) read(d *draft, a Answer, at string) item.Findings {
	if a.empty() {
		return item.Findings{{Code: "refused", What: "there was no text: " + cmp.Or(a.Refused, "it was empty")}}
	}
	origin := m.origin(d, a, at)
	switch d.stage {
	case StageI:
		said, found := item.Decode[baseAnswer]([]byte(a.Text))
		if found != nil {
			return item.Findings{*found}
		}
		d.row = d.slot.row(item.Base, origin, said.Visible, said.Label)
		return m.checkRow(d)
	case StageII:
		said, found := item.Decode[invertedAnswer]([]byte(a.Text))
		if found != nil {
			return item.Findings{*found}
		}
		d.row = d.slot.edited(item.Inverted, origin, nearAnswer{said.Request, said.Coverage, []item.Span{}, said.Rationale})
		return m.checkRow(d, "/visible", "/label")
	case StageIIb:
		said, found := item.Decode[nearAnswer]([]byte(a.Text))
		if found != nil {
			return item.Findings{*found}
		}
		d.row = d.slot.edited(item.NearMiss, origin, said)
		return m.checkRow(d, "/visible", "/label")
	}
	said, bad := item.Decode[signalsAnswer]([]byte(a.Text))
	if bad != nil {
		return item.Findings{*bad}
	}
	d.signals = &item.Signals{Schema: item.SignalsSchema, PairID: d.slot.pair, Observations: said.Observations, Provenance: origin}
	found := of(d.slot.pair, item.CheckPair(m.plan.Tools, []item.Instance{*d.slot.base}, d.signals))
	return append(found, oversize(d.signals)...)
}

// oversize refuses what would be too long for a row once it has its digests.
func oversize(row any) item.Findings {
	const digests = 1 << 10 // and what else is added at the end
	if n := len(asJSON(row)); n > item.MaxRow-digests {
		return item.Findings{{Code: "schema", What: fmt.Sprintf("makes a row of more than %d bytes", item.MaxRow-digests)}}
	}
	return nil
}

// origin is the provenance of what a draft says.
func (m *machine) origin(d *draft, a Answer, at string) item.Origin {
	template := digest([]byte(prompts[promptOf[d.stage]]))
	family := m.plan.Author.Family
	if a.Origin == Scripted {
		family = string(Scripted)
	}
	return item.Origin{
		Stage: string(d.stage), Draft: d.id, PromptSHA256: &template, RepairRounds: d.call.Round, Created: at,
		Generator: item.Generator{Family: family, Model: a.Model, Params: m.plan.Author.Params},
	}
}

// row makes a row of the pair.
func (s *slot) row(role item.Role, o item.Origin, v item.Visible, l item.Label) *item.Instance {
	row := &item.Instance{
		Schema: item.InstanceSchema, ID: s.pair + "-" + role.Suffix(), PairID: s.pair, Role: role, Mode: s.Mode,
		Domain: s.Domain, ToolFamily: s.ToolFamily, Visible: v, Label: l,
		Provenance: item.Provenance{Origin: o, Slot: s.ID}, Review: item.Review{Status: "pending"}, License: item.License,
	}
	if role == item.Base {
		row.Provenance.SeedExample = &s.Seed
	}
	return row
}

// edited makes a row that has another request than the base row, and the rest of it.
func (s *slot) edited(role item.Role, o item.Origin, said nearAnswer) *item.Instance {
	v := s.base.Visible
	v.Request = said.Request
	l := item.Label{Gold: role.Gold(), Rationale: said.Rationale, Effects: s.base.Label.Effects, Coverage: said.Coverage, Boundaries: said.Boundaries}
	if role == item.NearMiss {
		l.NearMissKind = &s.NearMiss
	}
	return s.row(role, o, v, l)
}

// checkRow runs the validators over the row of a draft. What stands in the row below
// one of within stands at the top of the answer.
func (m *machine) checkRow(d *draft, within ...string) item.Findings {
	rows := []item.Instance{*d.row}
	if d.row.Role != item.Base {
		rows = []item.Instance{*d.slot.base, *d.row}
	}
	found := of(d.row.ID, item.CheckPair(m.plan.Tools, rows, nil))
	if d.row.Role != item.NearMiss { // which is about as long as the inverted request
		if long := d.slot.inLength(d.row.Visible.Request); long != nil {
			found = append(found, *long)
		}
	}
	found = append(found, oversize(d.row)...)
	for n := range found {
		for _, prefix := range within {
			if rest, cut := strings.CutPrefix(found[n].Path, prefix); cut {
				found[n].Path = rest
				break
			}
		}
	}
	return found
}

// of returns the findings about one row.
func of(id string, found item.Findings) (about item.Findings) {
	for _, f := range found {
		if f.Row == id {
			about = append(about, f)
		}
	}
	return about
}
