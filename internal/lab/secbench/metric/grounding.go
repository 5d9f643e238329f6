package metric

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// maxSpan is how many lines a cited span has at most.
const maxSpan = 12

// SpanOK says whether a span can be cited: of a file of the fixture, within it, not
// too long and with a quote.
func SpanOK(f *task.Fixture, q trace.Quote) bool {
	text, ok := f.Text(q.File)
	return ok && 1 <= q.Start && q.Start <= q.End && q.End <= len(task.Lines(text)) && q.End-q.Start < maxSpan && q.Quote != ""
}

// Meets says whether a span and a gold line share a line.
func Meets(q trace.Quote, l task.Line) bool {
	return q.File == l.File && q.Start <= l.Line && l.Line <= q.End
}

// Roles says whether each role has a span that can be cited and meets a gold line of
// that role.
func Roles(f *task.Fixture, gold task.Gold, roles []string, evidence []trace.Evidence) bool {
	return !slices.ContainsFunc(roles, func(role string) bool {
		return !slices.ContainsFunc(evidence, func(e trace.Evidence) bool {
			return e.Role == role && SpanOK(f, e.Span) && slices.ContainsFunc(gold.Lines, func(l task.Line) bool {
				return l.Role == role && Meets(e.Span, l)
			})
		})
	})
}

// quotes says whether a quote is what stands at its span in the files as given, but
// for white space.
func (r Record) quotes(q trace.Quote) bool {
	text, ok := r.Fixture.Text(q.File)
	lines := task.Lines(text)
	return ok && 1 <= q.Start && q.Start <= q.End && q.End <= len(lines) &&
		task.Squeeze(q.Quote) == task.Squeeze(strings.Join(lines[q.Start-1:q.End], "\n"))
}

// lineOf is a line of a file as given.
type lineOf struct {
	file string
	line int
}

// shownLines are the lines of the files as given that the run was shown.
func (r *Run) shownLines() map[lineOf]bool {
	all := map[lineOf]bool{}
	for _, c := range r.shown() {
		if c.Receipt == nil {
			continue
		}
		for _, s := range c.Receipt.Spans {
			for n := s.Start; s.Rev == 0 && n <= s.End; n++ {
				all[lineOf{s.Path, n}] = true
			}
		}
	}
	return all
}

// within says whether all lines of a span were shown.
func within(shown map[lineOf]bool, q trace.Quote) bool {
	for n := q.Start; n <= q.End; n++ {
		if !shown[lineOf{q.File, n}] {
			return false
		}
	}
	return q.Start <= q.End
}

// cited returns all spans of a submission.
func cited(s *trace.Submission) []trace.Quote {
	all := slices.Clone(s.Locations)
	for _, e := range s.Evidence {
		all = append(all, e.Span)
	}
	return all
}

// grounding says how the submission is tied to what was shown; without a submission
// only the rough stand-in can have points.
func (r Record) grounding() trace.Grounding {
	g := trace.Grounding{GSub: r.substrings()}
	if r.Submission == nil {
		return g
	}
	shown, spans := r.shownLines(), cited(r.Submission)
	for _, l := range r.Gold.Lines {
		g.G2 = g.G2 || shown[lineOf{l.File, l.Line}]
		g.G1 = g.G1 || slices.ContainsFunc(r.shown(), func(c Call) bool {
			return c.Receipt != nil && slices.ContainsFunc(c.Receipt.Spans, func(s trace.Span) bool { return s.Path == l.File })
		})
	}
	g.G3 = len(spans) > 0 && !slices.ContainsFunc(spans, func(q trace.Quote) bool { return !r.quotes(q) })
	g.G4 = len(spans) > 0 && !slices.ContainsFunc(spans, func(q trace.Quote) bool { return !within(shown, q) })
	g.G5 = r.supported()
	return g
}

// supported is the fifth point: all roles, or, where a harness shows whether the
// answer is right, a cited result of it that is fresh and shows it.
func (r Record) supported() bool {
	t := r.Fixture.Task
	patches := t.Kind != task.Probe && len(t.Patchable) > 0
	if !patches && r.Gold.Code == "" {
		return Roles(r.Fixture, r.Gold, t.Roles, r.Submission.Evidence)
	}
	return slices.ContainsFunc(r.cites(), func(c citation) bool {
		if c.forged || c.stale || c.nonce == "" || c.receipt.Status != trace.StatusOK {
			return false
		}
		data := r.json(c.receipt.SHA256).Get("data")
		if !patches {
			return data.Get("oracle").Text() == r.Gold.Code
		}
		exit, ok := data.Get("exit").Number().Int64()
		return ok && exit == 0 && data.Get("exit").Kind() == toolcall.Number &&
			data.Get("id").Text() == task.Visible && c.revision > 0
	})
}

// substrings is the rough stand-in for a rubric that is not public: up to five
// points, by substrings that do not heed letter case.
func (r Record) substrings() (points int) {
	var asked, shown []string
	for _, c := range r.shown() {
		asked = append(asked, r.texts(c.ArgsSHA)...)
		if c.Receipt != nil {
			shown = append(shown, r.texts(c.Receipt.SHA256)...)
		}
	}
	var report []string
	if r.Submission != nil {
		report = r.texts(r.Calls[r.Submitted].ArgsSHA)
	}
	var files, lines, names []string
	for _, l := range r.Gold.Lines {
		text, _ := r.Fixture.Text(l.File)
		line := task.Squeeze(task.Lines(text)[l.Line-1])
		files, lines, names = append(files, path.Base(l.File)), append(lines, line), append(names, longestName(line))
	}
	answers := slices.Concat(r.Gold.Accept.Verdict, []string{r.Gold.Code}, r.Gold.Accept.CWE)
	answers = slices.DeleteFunc(answers, func(a string) bool { return a == "NONE" }) // of a control: any text may hold it
	for _, hit := range []bool{
		holds(asked, files), holds(shown, lines), holds(report, files), holds(report, append(lines, names...)), holds(report, answers),
	} {
		if hit {
			points++
		}
	}
	return points
}

// holds says whether one of the texts holds one of the parts that are not empty.
func holds(texts, parts []string) bool {
	for _, text := range texts {
		text = strings.ToLower(task.Squeeze(text))
		if slices.ContainsFunc(parts, func(p string) bool { return p != "" && strings.Contains(text, strings.ToLower(p)) }) {
			return true
		}
	}
	return false
}

// longestName returns the longest identifier of a line, the first of equals.
func longestName(line string) (longest string) {
	for _, name := range identifier.FindAllString(line, -1) {
		if len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
