package trajectory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// maxDepth bounds arrays and objects around one another in a record.
const maxDepth = 256

// Options of Read.
type Options struct {
	Format string // one of Formats; "" = recognised by the record
	Bytes  int    // of one record, unpacked; 0 = 64 MiB
}

// Read reads the trajectories of a file. name stands for it in problems and says,
// by its ending, how it is divided. With an error the trajectory is nil; after a
// *Problem reading goes on, any other error is the last.
func Read(name string, r io.Reader, o Options) iter.Seq2[*Trajectory, error] {
	return func(yield func(*Trajectory, error) bool) {
		if o.Format != "" && !slices.Contains(Formats(), o.Format) {
			yield(nil, fmt.Errorf("%s: the format %q is none of %q", name, o.Format, Formats()))
			return
		}
		if o.Bytes == 0 {
			o.Bytes = 64 << 20
		}
		f := &file{name: name, options: o, yield: yield}
		in, err := Unpacked(r)
		switch {
		case err != nil:
			f.fail(err)
		case isLines(name):
			f.lines(in)
		default:
			f.document(in)
		}
	}
}

// isLines says whether a file of that name has one record a line.
func isLines(name string) bool {
	ending := path.Ext(strings.TrimSuffix(name, ".gz"))
	return ending == ".jsonl" || ending == ".ndjson"
}

// Unpacked returns the text of a file that may be packed by gzip (RFC 1952).
func Unpacked(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	magic, err := in.Peek(2)
	if err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return in, nil // an error of the reader comes once more
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 64<<10), nil
}

// file is one run of Read.
type file struct {
	name    string
	options Options
	yield   func(*Trajectory, error) bool
	stopped bool // nobody wants more
}

func (f *file) give(t *Trajectory, err error) {
	if !f.stopped {
		f.stopped = !f.yield(t, err)
	}
}

func (f *file) problem(line int, reason string) {
	f.give(nil, &Problem{f.name, line, reason})
}

func (f *file) fail(err error) {
	f.give(nil, fmt.Errorf("reading %s: %w", f.name, err))
	f.stopped = true
}

var errLong = errors.New("the record is longer than the bound")

// line reads a line of at most max bytes and passes over the rest of a longer one.
func line(in *bufio.Reader, max int) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > max; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLong
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		default:
			return text, err
		}
	}
}

// lines reads a file of lines. Where the first record is a line of a transcript,
// the whole file is one trajectory.
func (f *file) lines(in *bufio.Reader) {
	var whole *transcript
	for number := 1; !f.stopped; number++ {
		text, err := line(in, f.options.Bytes)
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errLong) {
			f.problem(number, err.Error())
			continue
		}
		if err != nil {
			f.fail(fmt.Errorf("line %d: %w", number, err))
			return
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		v, wrong := parse(bytes.TrimSpace(text), f.options.Bytes)
		if wrong != nil {
			f.problem(number, wrong.Reason)
		}
		if whole == nil {
			whole = f.record(number, text, v)
		}
		if whole != nil && !whole.add(text, v, f.options.Bytes) {
			f.problem(number, "the transcript is longer than the bound")
			return
		}
	}
	if whole != nil {
		f.finish(whole.raw, whole.trajectory(f.name))
	}
}

// record reads one line as a record of its own, unless it begins a transcript.
func (f *file) record(number int, text []byte, v toolcall.Value) *transcript {
	if v.Kind() == toolcall.Absent {
		return nil
	}
	if t := newTranscript(f.options.Format, v); t != nil {
		return t
	}
	f.convert(number, text, v, 0)
	return nil
}

// document reads a file that is one record, or an Inspect log in a ZIP archive.
func (f *file) document(in *bufio.Reader) {
	text, err := io.ReadAll(io.LimitReader(in, int64(f.options.Bytes)+1))
	switch {
	case err != nil:
		f.fail(err)
		return
	case len(text) > f.options.Bytes:
		f.problem(0, errLong.Error())
		return
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		f.archive(text)
		return
	}
	v, repaired, wrong := parsePython(text, f.options.Bytes)
	if wrong != nil {
		f.problem(wrong.Line, wrong.Reason)
		return
	}
	f.convert(1, text, v, repaired)
}

// parse reads a record; a problem has the line within it.
func parse(text []byte, max int) (toolcall.Value, *Problem) {
	v, err := toolcall.Parse(text, toolcall.Bounds{Bytes: max, Depth: maxDepth})
	var wrong *toolcall.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return v, &Problem{Line: wrong.Line, Reason: fmt.Sprintf("column %d: %s", wrong.Column, wrong.Msg)}
	case err != nil:
		return v, &Problem{Line: 1, Reason: err.Error()}
	}
	return v, nil
}

// convert hands on the trajectories of a record that begins in a line. repaired
// counts the words in it that no JSON has.
func (f *file) convert(number int, text []byte, v toolcall.Value, repaired int) {
	format, err := recognise(f.options.Format, v)
	if err != nil {
		f.problem(number, err.Error())
		return
	}
	all, err := format.read(v)
	if err != nil {
		f.problem(number, fmt.Sprintf("%s: %v", format.name, err))
		return
	}
	for _, t := range all {
		t.Format = format.name
		t.count("NaN or Infinity", repaired)
	}
	f.finish(text, all...)
}

func (f *file) finish(raw []byte, all ...*Trajectory) {
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(raw))
	for _, t := range all {
		t.Raw, t.Digest = raw, digest
		t.Failures = slices.ContainsFunc(formats, func(f format) bool { return f.name == t.Format && f.failures })
		f.give(t, nil)
	}
}

func (t *Trajectory) count(kind string, n int) {
	if n == 0 {
		return
	}
	if t.Unread == nil {
		t.Unread = map[string]int{}
	}
	t.Unread[kind] += n
}

// parsePython is parse, but for words that Python writes in JSON, which it counts.
func parsePython(text []byte, max int) (v toolcall.Value, repaired int, wrong *Problem) {
	if v, wrong = parse(text, max); wrong == nil {
		return v, 0, nil
	}
	plain, repaired := withoutBareWords(text)
	if repaired == 0 {
		return v, 0, wrong
	}
	v, wrong = parse(plain, max)
	return v, repaired, wrong
}

// withoutBareWords returns a text in which the words NaN and Infinity outside
// strings, which Python writes for numbers that JSON does not have, are null, and
// how many they were.
func withoutBareWords(text []byte) ([]byte, int) {
	var out []byte
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted:
			if word := bareWord(text[i:]); word > 0 {
				out = append(out, "null"...)
				i += word - 1
				n++
				continue
			}
		}
		out = append(out, text[i])
	}
	return out, n
}

func bareWord(text []byte) int {
	for _, word := range []string{"-Infinity", "Infinity", "NaN"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
