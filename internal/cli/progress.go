package cli

import (
	"fmt"
	"time"
)

// slow is after how long a terminal is told how far a run has come.
const slow = 2 * time.Second

// pace returns what tells a terminal how far a run has come, and how long
// the rest will take at the pace so far. what is counted: "case".
func (a *app) pace(what string) func(done, all int) {
	if !isTerminal(a.err) {
		return nil
	}
	start := time.Now()
	return func(done, all int) {
		took := time.Since(start)
		switch {
		case took < slow:
		case done < all:
			rest := took * time.Duration(all-done) / time.Duration(done)
			fmt.Fprintf(a.err, "\r%d of %s, about %s more\x1b[K", done, counted(all, what), rest.Round(time.Second))
		default:
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}
