package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what is read.
const (
	maxRecord = 4 << 20   // bytes of a line, unpacked
	maxAll    = 512 << 20 // bytes of all lines
	deepest   = 48        // objects and arrays around one another
)

// Source is a file of records, perhaps packed by gzip (RFC 1952). Its name stands in
// rows and problems.
type Source struct {
	Name string
	In   io.Reader
}

// Problem is a record that is no row, though the mapping does not leave it out.
type Problem struct {
	File string
	Line int
	What string
}

// Error returns the problem in one line.
func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What) }

// unread is the reason under which the manifest counts problems.
const unread = "the mapping does not fit it"

// Import reads the records of sources by a mapping. The set has the rows of those
// without a problem; it is for the caller to say whether a part is wanted. The error
// is one of a file, or that there is no row.
func Import(m *Mapping, sources []Source) (*item.Set, []Problem, error) {
	r := &reading{mapping: m, manifest: item.ImportedManifest{
		Name: m.Name, Source: m.Source, License: m.License, Notes: append([]string{}, m.Notes...), Mapping: m.digest,
		Files: []item.File{}, LeftOut: map[string]int{}, Unpaired: map[string]int{},
	}, pairs: map[string][]int{}}
	if m.Reached != nil {
		r.manifest.Unreached = new(0)
	}
	for _, s := range sources {
		if err := r.file(s); err != nil {
			return nil, r.problems, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if len(r.rows) == 0 {
		return nil, r.problems, fmt.Errorf("of %d records none is a row", r.manifest.Records)
	}
	r.pair()
	set, err := item.NewImported(r.manifest, r.rows)
	return set, r.problems, err
}

// reading is one run of Import.
type reading struct {
	mapping  *Mapping
	manifest item.ImportedManifest
	rows     []item.ImportedRow
	pairs    map[string][]int // rows by what the source names their pair
	problems []Problem
	bytes    int
}

// file reads the records of one file.
func (r *reading) file(s Source) error {
	sum := sha256.New()
	in, err := trajectory.Unpacked(io.TeeReader(s.In, sum))
	if err != nil {
		return err
	}
	records := r.manifest.Records
	if err := r.lines(s.Name, in); err != nil {
		return err
	}
	r.manifest.Files = append(r.manifest.Files, item.File{Path: name(s.Name), SHA256: digest(sum), Rows: r.manifest.Records - records})
	return nil
}

func digest(sum hash.Hash) string { return fmt.Sprintf("sha256:%x", sum.Sum(nil)) }

// name is that of a file as JSON can hold it.
func name(file string) string { return strings.ToValidUTF8(file, "?") }

func (r *reading) lines(file string, in *bufio.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxRecord)
	n := 0
	for lines.Scan() {
		n++
		if r.bytes += len(lines.Bytes()); r.bytes > maxAll {
			return fmt.Errorf("line %d: more than %d bytes in all: import the files one by one", n, maxAll)
		}
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		r.manifest.Records++
		row, why, err := r.record(text)
		switch {
		case err != nil:
			r.problems = append(r.problems, Problem{name(file), n, err.Error()})
			r.manifest.LeftOut[unread]++
		case why != "":
			r.manifest.LeftOut[why]++
		default:
			row.Origin.File, row.Origin.Line = name(file), n
			r.rows = append(r.rows, row)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("line %d: longer than %d bytes", n+1, maxRecord)
	} else if err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// record makes a row of a record, or says why it is left out.
func (r *reading) record(text []byte) (row item.ImportedRow, leftOut string, err error) {
	v, err := toolcall.Parse(text, toolcall.Bounds{Bytes: maxRecord, Depth: deepest})
	if err != nil {
		return row, "", err
	}
	m := r.mapping
	for _, c := range m.LeaveOut {
		if got, ok := word(find(v, c.At)); ok && slices.Contains(c.Is, got) {
			return row, c.Why, nil
		}
	}
	row.ID, row.License = fmt.Sprintf("%s-%06d", m.Name, r.manifest.Records), m.License
	row.Origin.SHA256 = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	if row.Label.Gold, err = m.gold(v); err != nil {
		return row, "", err
	}
	if unreached, err := m.unreached(v); err != nil || unreached {
		if unreached && row.Label.Gold == item.Block {
			*r.manifest.Unreached++
		}
		return row, noGate, err
	}
	if m.ID != nil {
		if id, ok := word(find(v, *m.ID)); ok {
			row.Origin.ID = &id
		}
	}
	if m.Rationale != nil {
		row.Label.Rationale = find(v, *m.Rationale).Text()
	}
	row.Visible, leftOut, err = m.visible(text, v)
	if err != nil || leftOut != "" {
		return row, leftOut, err
	}
	if err := row.CheckImported(m.License); err != nil {
		return row, "", err
	}
	if m.Pair != nil {
		if pair, ok := word(find(v, *m.Pair)); ok {
			r.pairs[pair] = append(r.pairs[pair], len(r.rows))
		}
	}
	return row, "", nil
}

// noGate is why a record is left out that no gate decided on.
const noGate = "it did not come before the gate"

// unreached says whether the action of a record came before no gate.
func (m *Mapping) unreached(v toolcall.Value) (bool, error) {
	if m.Reached == nil {
		return false, nil
	}
	member := find(v, m.Reached.At)
	got, ok := word(member)
	if !ok {
		return false, fmt.Errorf("what stands at %q is %s, not a word: check the pointer reached.at", string(m.Reached.At), member.Kind())
	}
	return !slices.Contains(m.Reached.Is, got), nil
}

// gold returns what the label of a record means.
func (m *Mapping) gold(v toolcall.Value) (item.Gold, error) {
	label := find(v, m.Label.At)
	got, ok := word(label)
	switch {
	case !ok:
		return "", fmt.Errorf("the label at %q is %s, not a word: check the pointer label.at", string(m.Label.At), label.Kind())
	case slices.Contains(m.Label.Block, got):
		return item.Block, nil
	case slices.Contains(m.Label.Allow, got):
		return item.Allow, nil
	}
	return "", fmt.Errorf("the label %q is no word of label.block or label.allow: add it there, or to leave_out", got)
}

// pair makes pairs of the rows that the source names so, where their bytes prove it.
func (r *reading) pair() {
	for _, rows := range r.pairs {
		why := fmt.Sprintf("the source names a pair of %d records", len(rows))
		if len(rows) == 2 {
			why = item.NoPair(&r.rows[rows[0]].Instance, &r.rows[rows[1]].Instance)
		}
		if why != "" {
			r.manifest.Unpaired[why] += len(rows)
			continue
		}
		pair := r.rows[rows[0]].ID + "-pair"
		for _, n := range rows {
			i := &r.rows[n].Instance
			i.PairID, i.Role = pair, item.Base
			if i.Label.Gold == item.Allow {
				i.Role = item.Inverted
			}
		}
	}
}
