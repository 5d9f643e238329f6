package result

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
)

// Read reads rows, one a line, and returns them in the order of [Sort]. Rows of
// several runs may stand in one file if none stands twice.
func Read(in io.Reader) ([]Row, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	var rows []Row
	seen := map[Key]bool{}
	err = eachLine(text, func(line []byte) error {
		row, err := parse(line)
		if err != nil {
			return err
		}
		if seen[row.Key()] {
			return fmt.Errorf("%s of %s under %s, epoch %d, stands above already", row.Item, row.Model, row.Policy, row.Epoch)
		}
		seen[row.Key()] = true
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	Sort(rows)
	return rows, nil
}

// eachLine calls f with each line of a file that is not blank. An error of f ends it
// and names the line.
func eachLine(text []byte, f func(line []byte) error) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

func parse(line []byte) (Row, error) {
	var r Row
	if err := json.Unmarshal(line, &r, json.RejectUnknownMembers(true)); err != nil {
		return r, fmt.Errorf("reading a result: %w", err)
	}
	return r, r.check()
}

// Line returns a row as a line. It is an error if [Read] would refuse it.
func (r *Row) Line() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("writing a result: %w", err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("writing a result: %w", err)
	}
	return append(line, '\n'), nil
}

// Sort orders rows by their keys, so that it does not matter which answer came
// first.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Epoch, b.Epoch))
	})
}
