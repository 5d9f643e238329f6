package constraint

import "github.com/licet-dev/licet/internal/toolcall"

// Finding says of one constraint, or of the way to its argument, whether it
// holds and of what value that was seen.
type Finding struct {
	Kind    string         // word of the constraint; "" is about the way to the value
	Operand toolcall.Value // what stands beside the word, absent if there is no word
	Holds   bool
	Value   toolcall.Value // the value that decided; absent if there is none
	Why     string         // continues a sentence that begins with the value; "" where it holds and there is no more to say
}

// Report reports every constraint of the set on a side: as a permitting clause
// asks it, or with never as a forbidding one does. The set holds on that side
// exactly if all findings do (see [Set.Permits] and [Set.Forbids]).
func (s *Set) Report(sel toolcall.Selection, a Answers, never bool) []Finding {
	if never {
		return s.reportForbids(sel, a)
	}
	absent := sel.Missing > 0 || len(sel.Values) == 0
	switch {
	case sel.Wrong > 0:
		return []Finding{{Why: wrongWay}}
	case absent && !s.optional:
		return []Finding{{Why: "is absent"}}
	case len(s.kinds) == 0:
		return []Finding{{Why: "nothing is permitted"}}
	case len(sel.Values) == 0:
		return []Finding{{Holds: true, Why: "is absent, and optional"}}
	}
	over := s.overlong(sel.Values, false)
	findings := make([]Finding, len(s.kinds))
	for i, k := range s.kinds {
		f := Finding{Kind: k.name(), Operand: k.canonical(), Holds: true, Value: sel.Values[0]}
		for _, v := range sel.Values {
			if why := over.unmet(k, v, a); why != "" {
				f.Holds, f.Value, f.Why = false, v, why
				break
			}
		}
		findings[i] = f
	}
	return findings
}

// reportForbids reports the value for which most constraints hold or may hold.
func (s *Set) reportForbids(sel toolcall.Selection, a Answers) (findings []Finding) {
	switch {
	case sel.Wrong > 0:
		return []Finding{{Holds: true, Why: wrongWay}}
	case len(s.kinds) == 0:
		return []Finding{{Holds: true, Why: "everything is forbidden"}}
	case len(sel.Values) == 0:
		return []Finding{{Why: "is absent"}}
	}
	over := s.overlong(sel.Values, true)
	most := -1
	for _, v := range sel.Values {
		met, all := 0, make([]Finding, len(s.kinds))
		for i, k := range s.kinds {
			why := over.met(k, v, a)
			all[i] = Finding{Kind: k.name(), Operand: k.canonical(), Holds: why != "", Value: v, Why: why}
			if why != "" {
				met++
			}
		}
		if met > most {
			most, findings = met, all
		}
	}
	return findings
}
