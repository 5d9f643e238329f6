package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/report"
)

// share is a part of a whole, with its 95 % interval (Wilson) as parts of 1.
type share struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func shareOf(n, of int) share {
	low, high := report.Interval(n, of)
	return share{n, of, low, high}
}

// String returns "7/97: 7.2 %, 3.5 to 14.2".
func (s share) String() string {
	return fmt.Sprintf("%d/%d: %s", s.N, s.Of, report.Count{N: s.N, Of: s.Of}.Share())
}

// stopped is which shares of something are held and blocked.
type stopped struct {
	Held    share `json:"held"`
	Blocked share `json:"blocked"`
}

// shares is how much of a set of traces is stopped. Traces without calls are in
// nothing but Empty.
type shares struct {
	Name   string             `json:"name"`
	Empty  int                `json:"empty"`
	Traces stopped            `json:"traces"`
	Calls  stopped            `json:"calls"`
	Codes  map[authz.Code]int `json:"codes"` // that decided about the calls that were stopped
}

func sharesOf(s set) shares {
	n, calls := replay.CountOf(s.all), replay.CallsOf(s.all)
	return shares{
		Name: s.name, Empty: n.Empty, Codes: calls.Codes,
		Traces: stopped{shareOf(n.Held, n.Traces), shareOf(n.Blocked, n.Traces)},
		Calls:  stopped{shareOf(calls.Held, calls.All), shareOf(calls.Blocked, calls.All)},
	}
}

// printShares prints two lines for each set, one of its traces and one of its calls,
// or an object.
func (a *app) printShares(sets []set, asJSON bool) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprint(w, "\theld\tblocked\n")
	}
	for _, s := range sets {
		n := sharesOf(s)
		if asJSON {
			if err := clikit.PrintJSON(a.out, n); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "traces\t%s\t%s\t%s\n", n.Traces.Held, n.Traces.Blocked, clikit.Printable(n.Name))
		fmt.Fprintf(w, "calls\t%s\t%s\t%s\n", n.Calls.Held, n.Calls.Blocked, n.codes())
	}
	return w.Flush()
}

// codes lists what decided, the most frequent first.
func (n shares) codes() string {
	if len(n.Codes) == 0 {
		return "none stopped"
	}
	var all []string
	codes := slices.Sorted(maps.Keys(n.Codes))
	slices.SortStableFunc(codes, func(a, b authz.Code) int { return n.Codes[b] - n.Codes[a] })
	for _, c := range codes {
		all = append(all, fmt.Sprintf("%s %d", c, n.Codes[c]))
	}
	return strings.Join(all, ", ")
}
