package corpus

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/authz"
)

// row is one line of the bypass corpus. Only Input is shown to what translates
// it.
type row struct {
	ID       string         `json:"id"`
	Source   string         `json:"source"`
	Class    string         `json:"class"`
	Surface  string         `json:"surface"`
	Input    jsontext.Value `json:"input"`
	Expected authz.Verdict  `json:"expected"`
	Why      string         `json:"why"`
}

// read reads a corpus: name stands for it in errors.
func read(name string, text []byte) ([]planned, error) {
	var all []planned
	ids := map[string]bool{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p, err := readRow(line)
		if err == nil && ids[p.id] {
			err = fmt.Errorf("the id %q stands twice", p.id)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		ids[p.id] = true
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: holds no rows", name)
	}
	return all, nil
}

func readRow(line []byte) (planned, error) {
	var r row
	if err := strict(line, &r); err != nil {
		return planned{}, err
	}
	if r.ID == "" || r.Why == "" {
		return planned{}, fmt.Errorf("a row needs an id and a sentence why")
	}
	return plan(r)
}

// strict reads JSON into v; members that v does not have are errors.
func strict(text []byte, v any) error {
	return json.Unmarshal(text, v, json.RejectUnknownMembers(true))
}
