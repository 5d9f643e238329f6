package mcpproxy

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// disown returns a text that was parsed strictly without the members of every
// _meta, at any depth, that only licet writes. A program that reads a verdict
// there must be able to believe it, so what a server says there does not reach
// the client. All other bytes stay.
func disown(raw []byte) ([]byte, error) {
	c := claims{dec: jsontext.NewDecoder(bytes.NewReader(raw)), raw: raw}
	if err := c.value(false); err != nil {
		return nil, err
	}
	if len(c.edits) == 0 {
		return raw, nil
	}
	return apply(raw, c.edits), nil
}

// claims collects the edits that take out the reserved members.
type claims struct {
	dec   *jsontext.Decoder
	raw   []byte
	edits []edit
}

// value reads one value; meta says that it is that of _meta.
func (c *claims) value(meta bool) error {
	open, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	kind := open.Kind()
	if kind != '{' && kind != '[' {
		return nil
	}
	before, kept := c.at(), false // where the text of the next element begins; is there one before it that stays
	for next := c.dec.PeekKind(); next != '}' && next != ']'; next = c.dec.PeekKind() {
		name := ""
		if kind == '{' {
			key, err := c.dec.ReadToken()
			if err != nil {
				return err
			}
			name = key.String()
		}
		if meta && toolcall.Reserved(name) {
			if err := c.dec.SkipValue(); err != nil {
				return err
			}
			before = c.drop(before, kept)
			continue
		}
		if err := c.value(kind == '{' && toolcall.FoldEqual(name, "_meta")); err != nil {
			return err
		}
		before, kept = c.at(), true
	}
	_, err = c.dec.ReadToken()
	return err
}

func (c *claims) at() int { return int(c.dec.InputOffset()) }

// drop takes out the member that was just read, with one comma: that before it,
// or that behind it where no member before it stays. It returns where what is
// taken out ends.
func (c *claims) drop(from int, kept bool) int {
	end := c.at()
	if !kept && c.dec.PeekKind() == '"' {
		end += bytes.IndexByte(c.raw[end:], ',') + 1
	}
	c.edits = append(c.edits, edit{at: span{from, end}})
	return end
}
