package evidence

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// memberCount is how many members an envelope has.
const memberCount = 9

// Parse reads what Marshal wrote; white space and the order of members may differ. It
// checks the shape, not the hashes: that is the Verifier's work.
func Parse(line []byte) (Record, error) {
	v, err := toolcall.Parse(line, bounds)
	if err != nil {
		return Record{}, fmt.Errorf("reading a record: %w", err)
	}
	if v.Kind() != toolcall.Object || v.Len() != memberCount {
		return Record{}, fmt.Errorf("not an evidence record of version %d", Version)
	}
	number := func(name string) uint64 {
		n, ok := v.Get(name).Number().Int64()
		if !ok || n < 0 || v.Get(name).Kind() != toolcall.Number {
			err = fmt.Errorf("%s is not a whole number", name)
		}
		return uint64(n)
	}
	text := func(name string) string {
		if v.Get(name).Kind() != toolcall.String {
			err = fmt.Errorf("%s is not a text", name)
		}
		return v.Get(name).Text()
	}
	r := Record{
		Index: number("index"), ID: text("id"), Kind: Kind(text("kind")), Prev: text("prev"),
		BodyDigest: text("body_digest"), Hash: text("hash"), Body: v.Get("body").AppendCanonical(nil),
	}
	version, at := number("version"), text("time")
	switch {
	case err != nil:
		return Record{}, fmt.Errorf("reading a record: %w", err)
	case version != Version:
		return Record{}, fmt.Errorf("reading a record: version %d, this licet reads version %d", version, Version)
	case v.Get("body").Kind() != toolcall.Object:
		return Record{}, fmt.Errorf("reading a record: its body is not an object")
	case !isDigest(r.BodyDigest) || !isDigest(r.Hash):
		return Record{}, fmt.Errorf("reading a record: body_digest or hash is not a digest")
	}
	if r.Time, err = parseTime(at); err != nil {
		return Record{}, fmt.Errorf("reading a record: %w", err)
	}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("reading a record: %w", err)
	}
	return r, nil
}

// parseTime reads a time in the one form that a record's hash covers.
func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, err
	}
	if t = t.UTC(); t.Format(time.RFC3339Nano) != text {
		return time.Time{}, fmt.Errorf("time %s is not written in UTC as RFC 3339 with the fewest digits", text)
	}
	return t, nil
}
