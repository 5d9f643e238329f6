package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
// Quotes that meet are marked as one.
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
		b.WriteString(printable(turn[end:p.from]) + mark(turn[p.from:p.to]))
		end = p.to
	}
	return b.String() + printable(turn[end:])
}

// signalJSON is a fact about the environment, as an opinion keeps it.
type signalJSON struct {
	ID        string          `json:"id"`
	Collector string          `json:"collector"`
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Complete  bool            `json:"complete"`
}

// printObservations prints the facts about the environment that a recorded opinion
// was given. What is not complete is unknown, whatever was seen of it.
func (a *app) printObservations(raw json.RawMessage) {
	var all []signalJSON
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return
	}
	for _, s := range all {
		value := "unknown"
		if s.Complete && len(s.Value) > 0 {
			value = printable(string(bytes.TrimSpace(s.Value)))
		}
		a.line("  "+printable(s.ID)+" ", printable(s.Collector+"."+s.Key)+": "+value, 5)
	}
}
