package constraint

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

// TestTwins holds the index against a comparison with every declared name.
func TestTwins(t *testing.T) {
	name := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom([]rune("aAbBsſkKKıiİIßẞéÉσς")), 1, 3, -1), rapid.SampledFrom([]string{"ss", "SS", "é", "É"}))
	rapid.Check(t, func(t *rapid.T) {
		declared, other := rapid.SliceOfDistinct(name, rapid.ID[string]).Draw(t, "declared"), name.Draw(t, "other")
		var index twins
		want := ""
		for _, d := range declared {
			index.add(d)
			if toolcall.FoldEqual(d, other) && (want == "" || d < want) {
				want = d
			}
		}
		left := budget
		if got := index.of(other, &left); got != want {
			t.Errorf("%q beside %q is taken for %q, want %q", other, declared, got, want)
		}
	})
}

// membersBeside returns a schema with 30 properties that is open to others, and
// arguments with n others.
func membersBeside(t testing.TB, name string, n int) (*Schema, toolcall.Value) {
	t.Helper()
	var declared []string
	for i := range 30 {
		declared = append(declared, fmt.Sprintf(`"declared%d": {}`, i))
	}
	s, err := CompileSchema(value(t, `{"type": "object", "properties": {`+strings.Join(declared, ",")+`}, "additionalProperties": true}`), false)
	if err != nil {
		t.Fatal(err)
	}
	members := make([]toolcall.Member, n)
	for i := range members {
		members[i] = toolcall.Member{Name: fmt.Sprintf("%s%d", name, i), Value: toolcall.NullValue}
	}
	return s, toolcall.ObjectOf(members...)
}

// TestManyMembers: members with ASCII names cost no comparison, so all are
// checked; of others only as many as the budget has.
func TestManyMembers(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{"x", 100_000, ""},
		{"é", budget / 30, ""},
		{"é", budget/30 + 1, "comes after more than"},
		{"é", 100_000, "comes after more than"},
		{"Declared", 10, "differs from the declared"},
	} {
		s, args := membersBeside(t, tt.name, tt.n)
		err := s.Check(args)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d members %s0, ...: %v, want %q", tt.n, tt.name, err, tt.want)
		}
	}
}

func BenchmarkManyMembers(b *testing.B) {
	for _, name := range []string{"x", "é"} {
		s, args := membersBeside(b, name, 355_000)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = s.Check(args) // refused, where names take comparisons: that is what is timed
			}
		})
	}
}
