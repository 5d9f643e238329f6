package mcpproxy

import (
	"bytes"
	"io"
	"log"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
)

// Bounds of a line in the operator's log, in bytes as they came.
const (
	maxLogLine = 8 << 10  // of the server's stderr; a longer line is broken
	maxShown   = 16 << 10 // of any; the rest is left out
)

// plain writes lines to the operator's terminal, where what a server or a
// client wrote must not move the cursor or hide text.
type plain struct{ w io.Writer }

func (p plain) Write(b []byte) (int, error) {
	var shown strings.Builder
	for text := range strings.Lines(string(b)) {
		text = strings.TrimRight(text, "\r\n")
		if len(text) > maxShown {
			text = text[:maxShown] + " ..."
		}
		shown.WriteString(clikit.Printable(strings.ReplaceAll(text, "\t", "    ")))
		shown.WriteByte('\n')
	}
	if _, err := io.WriteString(p.w, shown.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// prefixed writes whole lines to a log.
type prefixed struct {
	log  *log.Logger
	rest []byte
}

func (w *prefixed) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for {
		at := bytes.IndexByte(w.rest, '\n')
		if at < 0 && len(w.rest) < maxLogLine {
			return len(b), nil
		}
		if at < 0 || at > maxLogLine {
			at = maxLogLine - 1
		}
		w.log.Print(string(w.rest[:at+1]))
		w.rest = w.rest[at+1:]
	}
}

// flush writes a last line that has no end.
func (w *prefixed) flush() {
	if len(w.rest) > 0 {
		w.log.Print(string(w.rest))
		w.rest = nil
	}
}
