package batch

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
)

// Imported is what came of answers, each list in the order of ids.
type Imported struct {
	New      []Answer  // usable, and not known before
	Failed   []Answer  // errors of transport of calls that still wait, the last one of each
	Waiting  []Call    // without a usable answer, those of Failed among them
	Unknown  []Unknown // answers to what was not asked, for quarantine
	Repeated int       // answers that say what is known already
}

// Unknown is an answer whose id no call has.
type Unknown struct {
	Answer
	Changed bool // only the key is another: prompt, model or parameters changed since it was asked
}

// Import holds answers against the calls that are due and the answers that are
// known, by id. They may come from several files, one after the other, in any order;
// what is known already, and errors of transport, change nothing.
//
// A model must call itself what was asked for, or what reports has for it. An answer
// of another one, and a second answer to one id that says something else, is an
// error: then nothing is imported.
func Import(due []Call, known map[string]Answer, answers []Answer, reports map[string]string) (Imported, error) {
	var in Imported
	calls, rest := map[string]Call{}, map[string]bool{}
	for _, c := range due {
		id, err := c.ID()
		if err != nil {
			return Imported{}, err
		}
		if _, again := calls[id]; again {
			return Imported{}, fmt.Errorf("two calls are %s", id)
		}
		calls[id], rest[withoutKey(id)] = c, true
	}
	usable, failed := map[string]Answer{}, map[string]Answer{}
	for _, a := range answers {
		before, isKnown := known[a.ID]
		if !isKnown {
			before, isKnown = usable[a.ID]
		}
		c, asked := calls[a.ID]
		switch {
		case !asked && !isKnown:
			in.Unknown = append(in.Unknown, Unknown{a, rest[withoutKey(a.ID)]})
		case !a.Usable():
			failed[a.ID] = a
		case isKnown && !bytes.Equal(a.Body, before.Body):
			return Imported{}, fmt.Errorf("%s has two answers that differ", a.ID)
		case isKnown:
			in.Repeated++
		default:
			if err := checkModel(c, a, reports); err != nil {
				return Imported{}, err
			}
			usable[a.ID] = a
			in.New = append(in.New, a)
		}
	}
	for id, c := range calls {
		_, isNew := usable[id]
		_, isKnown := known[id]
		if isNew || isKnown {
			continue
		}
		in.Waiting = append(in.Waiting, c)
		if a, ok := failed[id]; ok {
			in.Failed = append(in.Failed, a)
		}
	}
	in.sort()
	return in, nil
}

func (in *Imported) sort() {
	byID := func(a, b Answer) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(in.New, byID)
	slices.SortFunc(in.Failed, byID)
	slices.SortStableFunc(in.Unknown, func(a, b Unknown) int { return byID(a.Answer, b.Answer) })
	slices.SortFunc(in.Waiting, func(a, b Call) int {
		x, _ := a.ID() // the calls have ids: they were found by them
		y, _ := b.ID()
		return cmp.Compare(x, y)
	})
}

// withoutKey returns an id without the beginning of its key.
func withoutKey(id string) string { return id[:max(0, len(id)-keyDigits)] }

// checkModel compares what an answer calls its model with what was asked for.
func checkModel(c Call, a Answer, reports map[string]string) error {
	asked, err := modelOf(c.Body)
	if err != nil {
		return fmt.Errorf("the body of %s: %w", a.ID, err)
	}
	var body struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return fmt.Errorf("the answer %s: %w", a.ID, err)
	}
	if want := cmp.Or(reports[asked], asked); body.Model != want {
		return fmt.Errorf("%s is answered by %q, and %q was asked: if this is its name, say so where models are listed", a.ID, body.Model, want)
	}
	return nil
}
