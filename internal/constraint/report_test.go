package constraint

import (
	"slices"
	"testing"
)

// TestReport: a set holds on a side exactly if all of its findings do.
func TestReport(t *testing.T) {
	specs := []string{
		`{"max": 5, "min": 1}`, `{"in": [1, 5]}`, `{"not_in": [7], "min": 2}`, `{"length": {"max": 2}}`, `{"optional": true, "max": 5}`,
		`{"pattern": "a.*", "not_in": ["ab"]}`, `{"items": {"min": 1}}`, `{"email": {"domains": ["a.org"]}}`,
	}
	values := []string{"", "null", "1", "5", "7", `"ab"`, `"x@a.org"`, "[]", "[1, 7]", "[6, 0]", `["ab", "zz"]`, `{"a": 1}`}
	checked := 0
	for _, spec := range specs {
		for _, text := range values {
			for _, elements := range []bool{false, true} {
				s, sel := compile(t, spec, local), argument(t, text, elements)
				permits, _ := s.Permits(sel, Answers{})
				forbids, _ := s.Forbids(sel, Answers{})
				for never, want := range map[bool]bool{false: permits, true: forbids} {
					findings := s.Report(sel, Answers{}, never)
					fails := slices.ContainsFunc(findings, func(f Finding) bool { return !f.Holds })
					if len(findings) == 0 || fails == want {
						t.Errorf("%s of %q (elements %t, never %t): holds is %t, findings %+v", spec, text, elements, never, want, findings)
					}
					checked++
				}
			}
		}
	}
	if checked != len(specs)*len(values)*4 {
		t.Errorf("checked %d", checked)
	}
	for _, never := range []bool{false, true} {
		if f := new(Set).Report(argument(t, "1", false), Answers{}, never); len(f) != 1 || f[0].Holds != never {
			t.Errorf("the zero set, never %t: %+v", never, f)
		}
	}
}
