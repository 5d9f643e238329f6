package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	lab "github.com/licet-dev/licet/internal/lab/cli"
	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/splitmix"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// did is what a planted agent comes to on a task with a seed.
type did struct{ s, g, r, sa, ua int }

// What the agents that they play come to (docs/secbench.md).
var (
	right     = did{s: 1, g: 5}
	refuses   = did{r: 1}
	withholds = did{sa: 1}
	tries     = did{ua: 1}
)

// plantedStock is the rule of docs/secbench.md, in this test's own words.
func plantedStock(family byte, n, seed int) did {
	switch {
	case family == 'K' && seed <= 2, family != 'K' && n == 1 && seed <= 2, (family == 'L' || family == 'T') && n == 6 && seed == 5:
		return right
	case family != 'K' && n == 3 && seed == 1:
		return tries
	case family != 'K' && n == 4 && seed == 5:
		return withholds
	case family != 'K' && n >= 5 && seed <= 3:
		return refuses
	}
	return did{}
}

// plantedFreed is that of the agent that stands for the derived model.
func plantedFreed(family byte, n, seed int) did {
	switch {
	case family == 'K' && (seed <= 2 || n <= 4 && seed == 3):
		return right
	case family == 'K':
		return did{}
	case n <= 2, n == 3 && seed <= 3:
		return right
	case n == 4 && seed <= 2:
		return tries
	case n == 6 && seed == 1:
		return refuses
	}
	return did{}
}

// measures are the rows of the table of pairs.
var measures = map[string]func(did) int{
	"s": func(d did) int { return d.s }, "g": func(d did) int { return d.g }, "r": func(d did) int { return d.r },
	"sa": func(d did) int { return d.sa }, "ua": func(d did) int { return d.ua },
}

const plantedSeeds = 5

// planted are the differences of a measure: by task, and how many cells go one way and
// the other.
type plantedTasks struct {
	sums       []int
	more, less int
}

func plantedDifferences(ids []string, value func(did) int) (p plantedTasks) {
	for _, id := range ids {
		n, _ := strconv.Atoi(id[1:])
		sum := 0
		for seed := 1; seed <= plantedSeeds; seed++ {
			d := value(plantedFreed(id[0], n, seed)) - value(plantedStock(id[0], n, seed))
			sum += d
			if d > 0 {
				p.more++
			} else if d < 0 {
				p.less++
			}
		}
		p.sums = append(p.sums, sum)
	}
	return p
}

func (p plantedTasks) mean() float64 {
	sum := 0
	for _, n := range p.sums {
		sum += n
	}
	return float64(sum) / float64(plantedSeeds*len(p.sums))
}

// drawn returns the mean of as many tasks as there are, drawn with replacement.
func (p plantedTasks) drawn(g *splitmix.Generator) float64 {
	sum := 0
	for range p.sums {
		sum += p.sums[g.Below(len(p.sums))]
	}
	return float64(sum) / float64(plantedSeeds*len(p.sums))
}

// spreadOf returns elements 250 and 9749 of 10,000 sorted draws.
func spreadOf(draw func(*splitmix.Generator) float64) (low, high float64) {
	g := splitmix.Generator(20260519)
	all := make([]float64, 10_000)
	for i := range all {
		all[i] = draw(&g)
	}
	sort.Float64s(all)
	return all[250], all[9749]
}

// flipped is the share of all choices of signs that give a sum as far from 0.
func (p plantedTasks) flipped(t *testing.T) float64 {
	moved := slices.DeleteFunc(slices.Clone(p.sums), func(n int) bool { return n == 0 })
	if len(moved) > 20 {
		t.Fatalf("%d tasks differ: the planted rule is for the exact test", len(moved))
	}
	observed, hits := 0, 0
	for _, n := range moved {
		observed += n
	}
	for choice := range 1 << len(moved) {
		sum := 0
		for i, n := range moved {
			if choice>>i&1 == 1 {
				n = -n
			}
			sum += n
		}
		if max(sum, -sum) >= max(observed, -observed) {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<len(moved))
}

// sided is the exact two-sided p of so many one way and so many the other.
func (p plantedTasks) sided() float64 {
	n, sum := p.more+p.less, new(big.Float)
	for k := 0; k <= min(p.more, p.less); k++ {
		sum.Add(sum, new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(k))))
	}
	f, _ := sum.Float64()
	return min(1, 2*f/math.Pow(2, float64(n)))
}

// TestPlanted plays two scripted agents that differ in a known way, by the commands,
// and holds the table of pairs against what was planted, each number computed here
// from the rule alone. In the long form on all tasks, else on some that build nothing.
func TestPlanted(t *testing.T) {
	ids := []string{"C01", "C03", "C04", "K01", "K05", "L01", "L02", "L06", "P01", "R01", "R03", "R04", "R05"}
	if os.Getenv("LICET_LONG") != "" {
		ids = task.IDs()
	}
	numbers := plantedReport(t, ids)
	security := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id[0] == 'K' || id[0] == 'P' })
	controls := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id[0] != 'K' || id > "K16" })
	want, p := map[string]string{}, map[string]float64{}
	for name, value := range measures {
		on, beside := plantedDifferences(security, value), plantedDifferences(controls, value)
		row := "pairs/scripted-planted-freed-and-scripted-planted-stock-strict-plain-" + name + "/"
		if name == "g" {
			row = strings.Replace(row, "pairs/", "pairs-grounding/", 1)
		}
		p[row] = on.flipped(t)
		low, high := spreadOf(on.drawn)
		want[row+"difference"] = fmt.Sprintf("%+.3f [%.6f, %.6f]", on.mean(), low, high)
		low, high = spreadOf(beside.drawn)
		want[row+"controls"] = fmt.Sprintf("%+.3f [%.6f, %.6f]", beside.mean(), low, high)
		low, high = spreadOf(func(g *splitmix.Generator) float64 { x := on.drawn(g); return x - beside.drawn(g) })
		want[row+"did"] = fmt.Sprintf("%+.3f [%.6f, %.6f]", on.mean()-beside.mean(), low, high)
		want[row+"runs"], want[row+"control-runs"] = fmt.Sprint(plantedSeeds*len(security)), fmt.Sprint(plantedSeeds*len(controls))
		want[row+"b"], want[row+"c"] = fmt.Sprintf("%d of %d", on.more, plantedSeeds*len(security)), fmt.Sprintf("%d of %d", on.less, plantedSeeds*len(security))
		want[row+"p"], want[row+"mcnemar-p"] = fmt.Sprintf("%.3g", p[row]), fmt.Sprintf("%.3g", on.sided())
	}
	rows := slices.SortedFunc(maps.Keys(p), func(a, b string) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for i, row := range rows {
		least = max(least, min(1, p[row]*float64(len(rows)-i)))
		want[row+"holm"] = fmt.Sprintf("%.3g", least)
	}
	for id, text := range want {
		if strings.HasSuffix(id, "p") || strings.HasSuffix(id, "holm") {
			if got, err := strconv.ParseFloat(numbers[id], 64); err != nil || fmt.Sprintf("%.2g", got) != fmt.Sprintf("%.2g", must(strconv.ParseFloat(text, 64))) {
				t.Errorf("%s: %q, want %s", id, numbers[id], text)
			}
		} else if numbers[id] != text {
			t.Errorf("%s: %q, want %s", id, numbers[id], text)
		}
	}
	if len(want) != 5*10 {
		t.Errorf("looked at %d numbers", len(want))
	}
}

func must(f float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return f
}

// plantedReport runs both agents on tasks and returns the numbers of the report.
func plantedReport(t *testing.T, ids []string) map[string]string {
	dir := t.TempDir()
	runs, out := filepath.Join(dir, "runs"), filepath.Join(dir, "report")
	play := []string{"secbench", "run", "--out", runs, "--agent", "planted-stock", "--agent", "planted-freed"}
	for _, id := range ids {
		play = append(play, "--task", id)
	}
	command(t, play...)
	t.Log(command(t, "secbench", "report", runs, "--out", out, "--pair", "scripted/planted-freed=scripted/planted-stock"))
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := report.ReadNumbers(text)
	if err != nil || !strings.Contains(all.Banner, "SCRIPTED") {
		t.Fatalf("banner %q, %v", all.Banner, err)
	}
	numbers := map[string]string{}
	for _, n := range all.Numbers {
		text := n.Decimal
		switch {
		case n.N != nil:
			text = fmt.Sprintf("%d of %d", *n.N, *n.Of)
		case n.Low != nil:
			text = fmt.Sprintf("%s [%.6f, %.6f]", n.Decimal, *n.Low, *n.High)
		}
		numbers[n.ID] = text
	}
	return numbers
}

// command runs licet-lab, which must end well, and returns what it prints.
func command(t *testing.T, args ...string) string {
	var out, errs bytes.Buffer
	if status := lab.Run(context.Background(), append([]string{"licet-lab"}, args...), os.Environ(), strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("%v: exit status %d: %s%s", args[:2], status, out.String(), errs.String())
	}
	return out.String()
}
