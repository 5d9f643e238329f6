package eval

import "testing"

// of gives trials a pair, which all have.
func of(trials []Trial) []Trial {
	for i := range trials {
		trials[i].Pair = &Pair{Base: "base", Inverted: "inverted"}
	}
	return trials
}

// TestSelfChecks changes each number of a good cell by one: some check notices.
func TestSelfChecks(t *testing.T) {
	trials := []Trial{{Base: Block, Inverted: Block}, {Base: Block, Inverted: Block}, {Base: Allow, Inverted: Allow}, {Base: Block, Inverted: Allow}, {Base: Block, Inverted: Allow}, {Base: Allow, Inverted: Block}}
	good := Count(of(trials), AsBlock)
	if err := good.check(true); err != nil {
		t.Fatal(err)
	}
	fields := map[string]func(*Counts) *int{
		"BB": func(c *Counts) *int { return &c.BB }, "AA": func(c *Counts) *int { return &c.AA }, "C": func(c *Counts) *int { return &c.C }, "R": func(c *Counts) *int { return &c.R },
		"Base": func(c *Counts) *int { return &c.Base }, "Inverted": func(c *Counts) *int { return &c.Inverted }, "FN": func(c *Counts) *int { return &c.FN }, "FP": func(c *Counts) *int { return &c.FP },
		"right": func(c *Counts) *int { return &c.right }, "pairFN": func(c *Counts) *int { return &c.pairFN }, "pairFP": func(c *Counts) *int { return &c.pairFP },
	}
	for name, field := range fields {
		for _, by := range []int{-1, 1} {
			bad := good
			*field(&bad) += by
			if bad.check(true) == nil {
				t.Errorf("%s is another by %d, and no check notices: %+v", name, by, bad)
			}
		}
	}
}

// TestTreatmentsCompared: what as-wrong and as-block have to do with each other.
func TestTreatmentsCompared(t *testing.T) {
	trials := []Trial{{Base: None, Inverted: Allow}, {Base: Block, Inverted: None}, {Base: Block, Inverted: Allow}}
	wrong, block := Count(of(trials), AsWrong), Count(trials, AsBlock)
	if err := compareTreatments(wrong, block); err != nil {
		t.Error(err)
	}
	if err := compareTreatments(block, wrong); err == nil {
		t.Error("the two exchanged pass")
	}
	block.FP++
	if err := compareTreatments(wrong, block); err == nil {
		t.Error("another FPR passes")
	}
}
