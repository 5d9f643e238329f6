package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// printTurns prints what the user wrote, with the quoted words between marks. A
// quote that is not in what is kept of its turn, and all of them where no turns are
// kept, stand by themselves.
func (a *app) printTurns(o opinionJSON, turns []string) {
	s := a.style()
	quoted := func(words string) string { return "»" + s.bold(printable(words)) + "«" }
	for i, turn := range turns {
		a.line(fmt.Sprintf("  turn %d: ", i+1), markQuotes(turn, quotesOf(o, i+1), quoted), 10)
	}
	for _, span := range o.Spans {
		if span.Quote != "" && (span.Turn < 1 || span.Turn > len(turns) || !strings.Contains(turns[span.Turn-1], span.Quote)) {
			a.line(fmt.Sprintf("  turn %d: ", span.Turn), quoted(span.Quote), 10)
		}
	}
}

// quotesOf returns the quotes of one turn.
func quotesOf(o opinionJSON, turn int) (quotes []string) {
	for _, span := range o.Spans {
		if span.Turn == turn && span.Quote != "" {
			quotes = append(quotes, span.Quote)
		}
	}
	return quotes
}

// markQuotes returns a turn for people, with the first place of each quote marked.
// Quotes that meet are marked as one, and are shown whole; what is long between them
// is cut.
func markQuotes(turn string, quotes []string, mark func(string) string) string {
	type part struct{ from, to int }
	var parts []part
	for _, q := range quotes {
		if at := strings.Index(turn, q); at >= 0 {
			parts = append(parts, part{at, at + len(q)})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for i := 0; i < len(parts); {
		p := parts[i]
		for i++; i < len(parts) && parts[i].from <= p.to; i++ {
			p.to = max(p.to, parts[i].to)
		}
		b.WriteString(middleCut(printable(turn[end:p.from])) + mark(turn[p.from:p.to]))
		end = p.to
	}
	return b.String() + middleCut(printable(turn[end:]))
}

// middleCut leaves out the middle of a long text, and says how much.
func middleCut(text string) string {
	runes := []rune(text)
	if len(runes) <= longValue {
		return text
	}
	return string(runes[:longValue/2]) + fmt.Sprintf(" [… %d characters not shown, --json has all …] ", len(runes)-longValue) + string(runes[len(runes)-longValue/2:])
}

// seenJSON is what collectors saw of the environment, as records keep it.
type seenJSON struct {
	Digest       string            `json:"digest"`
	Observations []observationJSON `json:"observations,omitempty"`
}

type observationJSON struct {
	ID        string          `json:"id"`
	Collector string          `json:"collector"`
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value,omitempty"`
	Complete  bool            `json:"complete"`
	AtLeast   int             `json:"at_least,omitempty"` // of what is not complete: how many were seen
	Age       json.Number     `json:"age,omitempty"`      // seconds since the source changed
}

// seenOf returns what collectors saw, from the copy of a held call; nil if none ran.
func seenOf(call toolcall.Value) (seen *seenJSON) {
	if json.Unmarshal(call.Get("signals").AppendCanonical(nil), &seen) != nil {
		return nil
	}
	return seen
}

// signal returns the observation as the collector made it.
func (o observationJSON) signal() constraint.Signal {
	value, err := toolcall.Parse(o.Value, toolcall.Bounds{})
	seconds, _ := o.Age.Float64() // 0 where there is none
	return constraint.Signal{
		ID: o.ID, Collector: o.Collector, Key: o.Key, Value: value, AtLeast: o.AtLeast,
		Age: time.Duration(seconds * float64(time.Second)), Complete: o.Complete && err == nil,
	}
}

// printSeen prints what collectors saw of the environment, a line for each of them:
// there are dozens of signals, and what stands beside them must not scroll away.
// What is not known at all stands at the end of a line, by its keys.
func (a *app) printSeen(seen *seenJSON) {
	if seen == nil {
		return
	}
	for rest := seen.Observations; len(rest) > 0; {
		collector := rest[0].Collector
		var known, unknown []string
		for ; len(rest) > 0 && rest[0].Collector == collector; rest = rest[1:] {
			switch s := rest[0].signal(); {
			case s.Complete || s.AtLeast > 0:
				known = append(known, s.ID+" "+s.Key+" "+signalText(s))
			default:
				unknown = append(unknown, s.ID+" "+s.Key)
			}
		}
		if len(unknown) > 0 {
			known = append(known, "unknown: "+strings.Join(unknown, ", "))
		}
		a.line("  ", printable(collector+"  "+strings.Join(known, "; ")), 5)
	}
}
