package result

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
)

// Read reads rows, one a line, and returns them in the order of [Sort]. Rows of
// several runs may stand in one file if none stands twice.
func Read(in io.Reader) ([]Row, error) {
	var rows []Row
	seen := map[Key]int{}
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			row, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			if first := seen[row.Key()]; first > 0 {
				return nil, fmt.Errorf("line %d: %s of %s under %s, epoch %d, stands in line %d already", n, row.Item, row.Model, row.Policy, row.Epoch, first)
			}
			seen[row.Key()] = n
			rows = append(rows, row)
		}
		if err != nil {
			break
		}
	}
	Sort(rows)
	return rows, nil
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

// Write writes rows in the order of [Sort].
func Write(out io.Writer, rows []Row) error {
	rows = slices.Clone(rows)
	Sort(rows)
	for i := range rows {
		line, err := rows[i].Line()
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Sort orders rows by their keys, so that it does not matter which answer came
// first.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Epoch, b.Epoch))
	})
}
