package mcpproxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// line is one message as it came in.
type line struct {
	wire []byte // with its line end, as it is forwarded
	text []byte // without
	bad  string // why it cannot be a message, "" if it may be one
}

// lines reads lines of at most max bytes.
type lines struct {
	in  *bufio.Reader
	max int
}

func newLines(r io.Reader, max int) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next returns the next line that is not empty. Of one that is too long only
// the first max bytes are kept. It returns no line together with an error.
func (ls *lines) next() (line, error) {
	for {
		l, err := ls.read()
		if err != nil && (!errors.Is(err, io.EOF) || len(l.wire) == 0) {
			return line{}, err
		}
		if len(bytes.TrimSpace(l.text)) > 0 {
			return l, nil
		}
	}
}

func (ls *lines) read() (l line, err error) {
	for {
		part, err := ls.in.ReadSlice('\n')
		if room := ls.max + len("\r\n") - len(l.wire); len(part) > room {
			part, l.bad = part[:room], fmt.Sprintf("message is longer than %d bytes", ls.max)
		}
		l.wire = append(l.wire, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.finish(err, ls.max)
		return l, err
	}
}

// finish takes off the line end and refuses what could be read as other lines
// than this one.
func (l *line) finish(err error, max int) {
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.wire, []byte("\n")), []byte("\r"))
	switch {
	case l.bad != "":
	case len(l.text) > max:
		l.bad = fmt.Sprintf("message is longer than %d bytes", max)
	case err != nil:
		l.bad = "message has no line end: it may be cut short"
	case bytes.IndexByte(l.text, '\r') >= 0:
		// White space in JSON, but a line end to many readers: what stands
		// between two of them would reach such a reader as a message of its own.
		l.bad = "message has a carriage return inside"
	}
}
