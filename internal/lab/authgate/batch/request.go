package batch

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Call is one question to a model, as a run names it.
type Call struct {
	Stage string // of the pipeline, or of what else asks: letters, digits and -
	Item  string // what is asked about
	Round int    // of repairs, from 0
	Epoch int    // repetition of the same question
	Key   string // "sha256:" and 64 digits 0-9a-f over all that the call is made of
	Body  []byte // of the request to chat/completions: a JSON object with model and messages
}

// maxID is the most characters of a custom_id, and keyDigits how many of them are
// the beginning of the key.
const (
	maxID     = 64
	keyDigits = 12
)

// Bounds of the numbers in a custom_id, beyond any run.
const (
	maxRound = 999
	maxEpoch = 9999
)

var (
	stageForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,12}$`)
	keyForm   = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	notInID   = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

// ID returns the custom_id: stage, item, round, epoch and the beginning of the key.
// Of the item, characters that an id cannot have become -, and what would make the
// id too long is left out: items are told apart by the key.
func (c Call) ID() (string, error) {
	switch {
	case !stageForm.MatchString(c.Stage):
		return "", fmt.Errorf("the stage %q: expected 1 to 12 letters, digits and -", c.Stage)
	case c.Item == "":
		return "", errors.New("a call about no item")
	case c.Round < 0 || c.Round > maxRound || c.Epoch < 0 || c.Epoch > maxEpoch:
		return "", fmt.Errorf("the round %d and the epoch %d of %s", c.Round, c.Epoch, c.Item)
	case !keyForm.MatchString(c.Key):
		return "", fmt.Errorf("the key %q of %s: expected sha256: and 64 digits 0-9a-f", c.Key, c.Item)
	}
	end := "_r" + strconv.Itoa(c.Round) + "_e" + strconv.Itoa(c.Epoch) + "_" + c.Key[len("sha256:"):][:keyDigits]
	item := notInID.ReplaceAllLiteralString(c.Item, "-")
	return c.Stage + "_" + item[:min(len(item), maxID-len(c.Stage)-1-len(end))] + end, nil
}

// request is a call with what its line says.
type request struct {
	id, model string
	line      []byte
}

// newRequest writes the line of a call. The body keeps the order of its members:
// models write the members of an answer in the order of the schema.
func newRequest(c Call) (request, error) {
	id, err := c.ID()
	if err != nil {
		return request{}, err
	}
	model, err := modelOf(c.Body)
	if err != nil {
		return request{}, fmt.Errorf("the body of %s: %w", id, err)
	}
	line, err := json.Marshal(struct {
		CustomID string         `json:"custom_id"`
		Method   string         `json:"method"`
		URL      string         `json:"url"`
		Body     jsontext.Value `json:"body"`
	}{id, "POST", "/v1/chat/completions", c.Body})
	if err != nil {
		return request{}, fmt.Errorf("writing %s: %w", id, err)
	}
	return request{id, model, append(line, '\n')}, nil
}

// modelOf returns the model that the body of a request asks for.
func modelOf(body []byte) (string, error) {
	v, err := toolcall.Parse(body, toolcall.Bounds{Bytes: maxLine})
	if err != nil {
		return "", err
	}
	model := v.Get("model").Text()
	if model == "" || v.Get("messages").Kind() != toolcall.Array || v.Get("messages").Len() == 0 {
		return "", errors.New("expected an object with model and messages")
	}
	return model, nil
}

// Limits bounds one file of requests. A zero field means the service's own, below
// which the files stay: 50,000 lines and 200 MB.
type Limits struct{ Lines, Bytes int }

const (
	serviceLines = 50_000 - 1
	serviceBytes = 200_000_000 - 1
)

// File is one file of requests. All of them ask for one model, as the service wants
// it.
type File struct {
	Model string
	Calls int
	Text  []byte
}

// Requests writes calls into files, ordered by model and custom_id: the same bytes
// for the same calls in any order. It is an error if two have one custom_id, or if
// one does not fit into a file.
func Requests(calls []Call, l Limits) ([]File, error) {
	l = Limits{cmp.Or(l.Lines, serviceLines), cmp.Or(l.Bytes, serviceBytes)}
	all, seen := make([]request, len(calls)), make(map[string]bool, len(calls))
	for i, c := range calls {
		r, err := newRequest(c)
		switch {
		case err != nil:
			return nil, err
		case seen[r.id]:
			return nil, fmt.Errorf("two calls are %s", r.id)
		case len(r.line) > l.Bytes:
			return nil, fmt.Errorf("the request %s has %d bytes, and a file at most %d", r.id, len(r.line), l.Bytes)
		}
		all[i], seen[r.id] = r, true
	}
	slices.SortFunc(all, func(a, b request) int { return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.id, b.id)) })
	var files []File
	for _, r := range all {
		last := len(files) - 1
		if last < 0 || files[last].Model != r.model || files[last].Calls >= l.Lines || len(files[last].Text)+len(r.line) > l.Bytes {
			files, last = append(files, File{Model: r.model}), last+1
		}
		files[last].Calls++
		files[last].Text = append(files[last].Text, r.line...)
	}
	return files, nil
}
