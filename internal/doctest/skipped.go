package doctest

import "strings"

// skip names something in the documentation that is not executed.
type skip struct {
	text string // how the command, or the first line of the sh block, begins
	why  string
}

// skipped lists all that is not executed. Each entry must match something.
var skipped = []skip{
	{"go test ./...", "it would run this test in itself"},
	{"licet approvals enroll alice", "it asks for a passphrase on a terminal"},
	{"licet approvals watch", "it waits for a person"},
	{"make", "each target is one line; CI runs what they run"},
}

// skipFor returns the entry for a command, nil if it is to be executed.
func skipFor(list []skip, text string) *skip {
	for i := range list {
		rest, ok := strings.CutPrefix(text, list[i].text)
		if ok && (rest == "" || rest[0] == ' ') {
			return &list[i]
		}
	}
	return nil
}
