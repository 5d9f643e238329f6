package corpus

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
)

// Status says what came of a row. The zero Status is the worst.
type Status uint8

// The statuses.
const (
	Wrong         Status = iota // less strict than expected, or wrong in another way
	Broken                      // it could not be played
	Stricter                    // stricter than expected: nothing got through, honest work stopped
	Disputed                    // not what the corpus expects, and right
	Admitted                    // let through although it should not be, as we know
	Inexpressible               // the door cannot do it
	Waiting                     // it needs what this version does not have
	Passed
)

var statusNames = [...]string{"wrong", "broken", "stricter", "disputed", "admitted", "not expressible", "waits", "passed"}

// String returns the status as reports show it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[Wrong]
}

// MarshalText writes the name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Row is what came of one case.
type Row struct {
	ID       string         `json:"id"`
	Domain   string         `json:"domain"` // what the case file is about; Bypass for rows of that corpus
	Surface  string         `json:"surface"`
	Kind     string         `json:"kind,omitempty"` // benign or attack, where the case says so
	Tags     []string       `json:"tags,omitempty"`
	Status   Status         `json:"status"`
	Expected authz.Verdict  `json:"expected"`
	Got      authz.Verdict  `json:"got"`             // to the last call that was made; BLOCK where there was none
	Code     authz.Code     `json:"code,omitempty"`  // of that answer
	For      string         `json:"waits,omitempty"` // what a waiting row waits for
	Reason   string         `json:"reason,omitempty"`
	Why      string         `json:"why,omitempty"` // the sentence of the case: what decides it
	Answers  []cases.Answer `json:"-"`             // to all calls, in order
}

// disputed are rows of the bypass corpus whose expectation we do not share: the
// gate's answer, and why it stands. Any other answer is still wrong.
var disputed = map[string]struct {
	answer authz.Verdict
	why    string
}{}

// Report is what came of a corpus on one door.
type Report struct {
	Rows []Row `json:"rows"`
}

func (r *Report) add(row Row) { r.Rows = append(r.Rows, row) }

// Count returns how many rows have a status.
func (r *Report) Count(s Status) (n int) {
	for _, row := range r.Rows {
		if row.Status == s {
			n++
		}
	}
	return n
}

// Failed says whether a row got another answer than expected, or none for a
// reason that is nobody's plan.
func (r *Report) Failed() bool {
	return r.Count(Wrong)+r.Count(Broken)+r.Count(Stricter) > 0
}

// columns are the statuses of a line, in the order of the table.
var columns = []Status{Passed, Disputed, Admitted, Wrong, Stricter, Broken, Inexpressible, Waiting}

// Print writes one line for each domain and surface, then the rows that did not
// pass.
func (r *Report) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "domain\tsurface\trows\t")
	for _, s := range columns {
		fmt.Fprintf(w, "%s\t", s)
	}
	fmt.Fprintln(w)
	var domains []string
	for _, row := range r.Rows {
		if !slices.Contains(domains, row.Domain) {
			domains = append(domains, row.Domain)
		}
	}
	for _, domain := range domains {
		for _, surface := range Surfaces() {
			r.line(w, domain, surface, func(row Row) bool { return row.Domain == domain && row.Surface == surface })
		}
	}
	r.line(w, "total", "", func(Row) bool { return true })
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range []Status{Wrong, Stricter, Broken, Disputed, Admitted, Inexpressible} {
		r.list(out, s)
	}
	r.waiting(out)
	return nil
}

// line counts the rows that are of it.
func (r *Report) line(w io.Writer, domain, surface string, of func(Row) bool) {
	counts := Report{}
	for _, row := range r.Rows {
		if of(row) {
			counts.add(row)
		}
	}
	if len(counts.Rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t", clikit.Printable(domain), surface, len(counts.Rows))
	for _, s := range columns {
		fmt.Fprintf(w, "%d\t", counts.Count(s))
	}
	fmt.Fprintln(w)
}

// list writes the rows of one status with their reasons.
func (r *Report) list(out io.Writer, s Status) {
	if r.Count(s) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", s)
	for _, row := range r.Rows {
		if row.Status == s {
			fmt.Fprintf(out, "  %s  %s\n", clikit.Printable(row.ID), clikit.Printable(row.Reason))
		}
	}
}

// waiting writes what rows wait for.
func (r *Report) waiting(out io.Writer) {
	var order []string
	ids := map[string][]string{}
	for _, row := range r.Rows {
		if row.Status == Waiting {
			if !slices.Contains(order, row.For) {
				order = append(order, row.For)
			}
			ids[row.For] = append(ids[row.For], row.ID)
		}
	}
	slices.Sort(order)
	for _, what := range order {
		fmt.Fprintf(out, "\nwaits for %s: %d rows\n", clikit.Printable(what), len(ids[what]))
		for few := range slices.Chunk(ids[what], 15) {
			fmt.Fprint(out, " ")
			for _, id := range few {
				fmt.Fprintf(out, " %s", clikit.Printable(id))
			}
			fmt.Fprintln(out)
		}
	}
}
