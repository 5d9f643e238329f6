package fakellm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// message is one of a conversation, whatever dialect it came in.
type message struct {
	role    string
	text    string
	calls   []repeated // that it makes
	results []string   // ids of calls that it says the result of
}

// repeated is a call as a client repeats it.
type repeated struct{ id, name string }

// nameForm is what both APIs take as the name of a tool.
var nameForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// hear takes a conversation, as strictly as the APIs do: no answer is empty, what is
// called has a name, and each call has one result before the conversation goes on.
func (a *ask) hear(list []message) error {
	var open []string
	for _, m := range list {
		for _, id := range m.results {
			i := slices.Index(open, id)
			if i < 0 {
				return fmt.Errorf("a result of %q, which was not called before it", id)
			}
			open = slices.Delete(open, i, i+1)
		}
		if len(m.results) == 0 && len(open) > 0 {
			return fmt.Errorf("no result of %q", open[0])
		}
		if a.text += m.text + "\n"; m.role != "assistant" {
			continue
		}
		a.turn++
		if m.text == "" && len(m.calls) == 0 {
			return errors.New("an empty message")
		}
		for _, c := range m.calls {
			if !nameForm.MatchString(c.name) || c.id == "" || slices.Contains(open, c.id) {
				return fmt.Errorf("a call of %q as %q", c.name, c.id)
			}
			open = append(open, c.id)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no result of %q", open[0])
	}
	return nil
}
