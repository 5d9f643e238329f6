package tally

import (
	"fmt"
	"time"
)

// known is the print of a few loans.
const known = "maps         2\nmusic        1\nmosses       1\n"

// Check prints a few loans and holds them against what is known.
func Check() error {
	t := Tally{Since: time.Unix(0, 0)}
	for _, subject := range []string{"maps", "music", "maps", "mosses"} {
		t.Add(subject)
	}
	if got := t.Print(); got != known {
		return fmt.Errorf("the check printed %q", got)
	}
	return nil
}
