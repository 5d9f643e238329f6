package authz_test

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
)

func TestZeroBlocks(t *testing.T) {
	var d authz.Decision
	if d.Verdict != authz.Block || d.Verdict.String() != "BLOCK" {
		t.Errorf("zero decision is %v, want BLOCK", d.Verdict)
	}
	if d.Code() != authz.Internal {
		t.Errorf("a decision without a reason has code %q, want %q", d.Code(), authz.Internal)
	}
	if got := authz.Verdict(200).String(); got != "BLOCK" {
		t.Errorf("a verdict outside the list reads %s, want BLOCK", got)
	}
}

func TestVerdictText(t *testing.T) {
	for _, v := range []authz.Verdict{authz.Block, authz.RequireApproval, authz.Allow} {
		text, err := v.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		got := authz.Allow
		if err := got.UnmarshalText(text); err != nil || got != v {
			t.Errorf("%s: read back %v, %v", text, got, err)
		}
	}
	if authz.Stricter(authz.Allow, authz.RequireApproval) != authz.RequireApproval ||
		authz.Stricter(authz.Block, authz.Allow) != authz.Block {
		t.Error("Stricter does not choose the stricter verdict")
	}
}

// TestUnknownOpinion: what is no word of an opinion is none.
func TestUnknownOpinion(t *testing.T) {
	for _, text := range []string{"", "ALLOW", "allow "} {
		o := authz.OpinionAllow
		if err := o.UnmarshalText([]byte(text)); err == nil || o != authz.NoVerdict {
			t.Errorf("%q is read as %v, %v", text, o, err)
		}
	}
}

// TestOpinionText pins the words of records, and that nothing unknown reads as a
// permission.
func TestOpinionText(t *testing.T) {
	for o, want := range map[authz.Opinion]string{
		authz.NoVerdict: "no_verdict", authz.OpinionBlock: "block", authz.OpinionUnsure: "unsure", authz.OpinionAllow: "allow",
		authz.OpinionAllow + 1: "no_verdict", 255: "no_verdict",
	} {
		if text, err := o.MarshalText(); err != nil || string(text) != want {
			t.Errorf("opinion %d reads %q, %v, want %q", o, text, err, want)
		}
		again := authz.OpinionAllow
		if err := again.UnmarshalText([]byte(want)); err != nil || again.String() != want {
			t.Errorf("%q is read as %v, %v", want, again, err)
		}
	}
}

func TestBlocked(t *testing.T) {
	d := authz.Blocked(authz.NotListed, "agents.a", "why")
	if d.Verdict != authz.Block || d.Code() != authz.NotListed || d.Reasons[0].Clause != "agents.a" || d.Reasons[0].Detail != "why" {
		t.Errorf("Blocked gave %+v", d)
	}
}

func TestCodesAreUnique(t *testing.T) {
	seen := map[authz.Code]bool{}
	for _, c := range authz.Codes() {
		if seen[c] {
			t.Errorf("code %q is listed twice", c)
		}
		seen[c] = true
	}
	page, err := os.ReadFile("../../docs/spec/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	page, _, found := bytes.Cut(page, []byte("\n## No verdict\n"))
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(page, -1)
	if !found {
		t.Error("docs/spec/reasons.md has no section on no verdict")
	}
	if len(rows) != len(seen) {
		t.Errorf("docs/spec/reasons.md explains %d codes, there are %d", len(rows), len(seen))
	}
	for _, row := range rows {
		if !seen[authz.Code(row[1])] {
			t.Errorf("docs/spec/reasons.md explains %q, which is no code", row[1])
		}
	}
}

func FuzzVerdict(f *testing.F) {
	for _, s := range []string{"ALLOW", "BLOCK", "REQUIRE_APPROVAL", "allow", "", "ALLOW "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := authz.Allow
		if err := v.UnmarshalText([]byte(s)); err != nil && v != authz.Block {
			t.Errorf("%q: an error left verdict %v", s, v)
		}
	})
}
