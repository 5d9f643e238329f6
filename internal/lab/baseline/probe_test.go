package baseline

import (
	"fmt"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/corpus"
)

func TestProbe(t *testing.T) {
	c, err := corpus.Open("../../../corpora", "../../../contracts")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, Options{Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range Languages() {
		n := map[string]int{}
		for _, o := range r.Outcomes {
			g := o.Baselines[i]
			key := fmt.Sprintf("%v->%v", o.Expected, g.Verdict)
			if !g.Counts() {
				key = fmt.Sprintf("%v unsaid", o.Expected)
			}
			n[key]++
			if i >= 2 && g.Counts() && g.Verdict != o.Expected {
				fmt.Println(l.Name, o.Surface, o.ID, key, g.Err)
			}
			_ = authz.Allow
		}
		fmt.Println(l.Name, n)
	}
	fmt.Println(len(r.Outcomes), len(r.LeftOut))
}
