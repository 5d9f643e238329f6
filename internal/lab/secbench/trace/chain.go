package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Channel tells chains apart, so that no line of one can stand in another.
type Channel string

// The channels that are chains.
const (
	Controller Channel = "licet-secbench-trace/1"
	Gate       Channel = "licet-secbench-gate/1"
)

// Sum returns the SHA-256 of b in hexadecimal digits.
func Sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// first is the prev of the first event.
func (c Channel) first(run string) string { return Sum([]byte(string(c) + "\n" + run)) }

// RunID names what s says, but for the layers, which are the machine's, and the
// variant, which task and seed make: the same task under another policy, prompt or
// tool set is another run.
func RunID(s RunStart) (string, error) {
	v, err := ValueOf(s)
	if err != nil {
		return "", err
	}
	var members []toolcall.Member
	for i := range v.Len() {
		if name, value := v.Member(i); name != "layers" && name != "variant" {
			members = append(members, toolcall.Member{Name: name, Value: value})
		}
	}
	return "r-" + Sum([]byte(toolcall.ObjectOf(members...).Canonical()))[:16], nil
}

// Writer appends events to a channel. It is not safe for concurrent use.
type Writer struct {
	out  io.Writer
	now  func() time.Time
	run  string
	seq  int
	head string
}

// NewWriter begins a channel.
func NewWriter(out io.Writer, c Channel, run string, now func() time.Time) *Writer {
	return &Writer{out: out, now: now, run: run, head: c.first(run)}
}

// Head is the hash of the last event; before the first what stands in its prev.
func (w *Writer) Head() string { return w.head }

// Append writes an event. data is the struct of its type. call and d are empty
// where it is about no call, or one that is not decided yet.
func (w *Writer) Append(t Type, call string, d *Decision, data any) error {
	value, err := ValueOf(data)
	if err != nil {
		return err
	}
	return w.add(Event{TS: w.now(), Type: t, Call: call, Decision: d, Data: value})
}

// Copy writes what an event of another chain says, with its time. The hash that it
// has there, if it has one, becomes orig.
func (w *Writer) Copy(e Event) error {
	return w.add(Event{TS: e.TS, Type: e.Type, Call: e.Call, Decision: e.Decision, Data: e.Data, Orig: e.Hash})
}

// add puts an event into the chain.
func (w *Writer) add(e Event) error {
	e.V, e.Seq, e.Run, e.Prev = Version, w.seq, w.run, w.head
	e, line, err := e.sealed()
	if err != nil {
		return err
	}
	if _, err := w.out.Write(line); err != nil {
		return fmt.Errorf("writing event %d: %w", w.seq, err)
	}
	w.seq++
	w.head = e.Hash
	return nil
}

// Altered says where a file is not what was written.
type Altered struct {
	File string // in the folder of the run
	Line int    // from 1; 0 = the file as a whole
	Byte int    // in the line, from 1, where it first differs from what it should be; 0 = unknown
	Why  string
}

// Error names the place.
func (a *Altered) Error() string {
	place := a.File
	if a.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, a.Line)
	}
	if a.Byte > 0 {
		place = fmt.Sprintf("%s:%d", place, a.Byte)
	}
	return place + ": " + a.Why
}

// Read reads a channel and checks form and chain of every event. The error is an
// *Altered, for the first line that is not as it was written; file stands for the
// text in it.
func Read(file string, text []byte, c Channel, run string) ([]Event, error) {
	var events []Event
	head := c.first(run)
	for n := 1; len(text) > 0; n++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if !ended {
			return nil, &Altered{file, n, len(line) + 1, "the line has no end"}
		}
		e, err := readLine(line)
		if err != nil {
			return nil, &Altered{file, n, place(err), err.Error()}
		}
		sealed, want, err := e.sealed()
		switch {
		case err != nil:
			return nil, &Altered{file, n, 0, err.Error()}
		case sealed.Hash != e.Hash:
			return nil, &Altered{file, n, 0, "the hash is not that of the event"}
		case !bytes.Equal(line, want[:len(want)-1]):
			return nil, &Altered{file, n, differs(line, want), "not in canonical form"}
		case e.V != Version || e.Run != run || e.Seq != len(events):
			return nil, &Altered{file, n, 0, fmt.Sprintf("event %d of run %s in the place of event %d of run %s", e.Seq, e.Run, len(events), run)}
		case e.Prev != head:
			return nil, &Altered{file, n, 0, "prev is not the hash of the event before"}
		}
		head, text = e.Hash, rest
		events = append(events, e)
	}
	return events, nil
}

// place returns the byte of a syntax error, from 1; 0 for another error.
func place(err error) int {
	if s := (*toolcall.SyntaxError)(nil); errors.As(err, &s) {
		return int(s.Offset) + 1
	}
	return 0
}

// differs returns the first byte, from 1, that two lines do not share.
func differs(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i + 1
		}
	}
	return min(len(a), len(b)) + 1
}

// readLine reads one event without its chain.
func readLine(line []byte) (Event, error) {
	v, err := toolcall.Parse(line, toolcall.Bounds{})
	if err != nil {
		return Event{}, err
	}
	var l struct {
		V        int       `json:"v"`
		Seq      int       `json:"seq"`
		Run      string    `json:"run"`
		TS       string    `json:"ts"`
		Type     Type      `json:"type"`
		Call     *string   `json:"call"`
		Decision *Decision `json:"decision"`
		Data     any       `json:"data"`
		Prev     string    `json:"prev"`
		Hash     string    `json:"hash"`
		Orig     string    `json:"orig"`
	}
	if err := json.Unmarshal(line, &l, json.RejectUnknownMembers(true)); err != nil {
		return Event{}, errors.New("not an event")
	}
	ts, err := time.Parse(timeForm, l.TS)
	if err != nil {
		return Event{}, fmt.Errorf("ts %q is no time of the form %s", l.TS, timeForm)
	}
	e := Event{V: l.V, Seq: l.Seq, Run: l.Run, TS: ts, Type: l.Type, Decision: l.Decision, Data: v.Get("data"), Prev: l.Prev, Hash: l.Hash, Orig: l.Orig}
	if l.Call != nil {
		e.Call = *l.Call
	}
	return e, nil
}
