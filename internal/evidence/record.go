package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Version of the envelope format.
const Version = 1

// Kind says what a record is about.
type Kind string

// The kinds of records.
const (
	Decision   Kind = "decision"   // the answer to one call, written before anything runs
	Outcome    Kind = "outcome"    // what became of a granted call
	Answer     Kind = "answer"     // an approver's answer to a ticket
	Approver   Kind = "approver"   // an approver was enrolled or changed the passphrase
	Credential Kind = "credential" // a credential was added, replaced or revoked
	Reveal     Kind = "reveal"     // an approver looked at the secrets of a held call
	Attempt    Kind = "attempt"    // a wrong passphrase was given for an approver
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{Decision, Outcome, Answer, Approver, Credential, Reveal, Attempt} }

// Genesis is the link of the first record: there is none before it.
const Genesis = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// MaxBody bounds the canonical body of one record, in bytes.
const MaxBody = 1 << 20

// Record is one sealed envelope. Seal makes it, and stores read it back.
type Record struct {
	Index      uint64    // place in the log, from 0, without gaps
	ID         string    // name of the record, chosen before it is written
	Time       time.Time // the store's clock, UTC; never earlier than the record before
	Kind       Kind
	Prev       string // hash of the record before; Genesis for the first
	BodyDigest string // SHA-256 of Body
	Body       []byte // canonical JSON object
	Hash       string // SHA-256 of the canonical header: all members above but Body
}

// Link is the head of a log: where the next record goes.
type Link struct {
	Next uint64    // index of the next record; 0 for an empty log
	Hash string    // hash of the last record; Genesis for an empty log
	Time time.Time // time of the last record
}

// Start is the link of an empty log.
func Start() Link { return Link{Hash: Genesis} }

// After returns the link that follows r.
func After(r Record) Link { return Link{Next: r.Index + 1, Hash: r.Hash, Time: r.Time} }

// At returns the time of a record written after l when the clock says now: in
// UTC, and moved forward to the last record's where the clock went back, so
// that a log's times never do.
func (l Link) At(now time.Time) time.Time {
	if now.Before(l.Time) {
		return l.Time
	}
	return now.Round(0).UTC() // Round(0) takes off the monotonic reading
}

// Seal makes the record that follows head, at head.At(now). The body must be a
// canonical JSON object. A record that could not be read, verified or ordered
// later is refused; see Record.check.
func Seal(head Link, kind Kind, id string, now time.Time, body []byte) (Record, error) {
	r := Record{Index: head.Next, ID: id, Time: head.At(now), Kind: kind, Prev: head.Hash, BodyDigest: digest(body), Body: body}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("sealing record %q: %w", id, err)
	}
	r.Hash = r.computeHash()
	return r, nil
}

// MaxName bounds the name of a record, in bytes.
const MaxName = 256

// check refuses what no record has: a name that is empty, long, not UTF-8 or
// holds control characters, a kind outside Kinds, a body over MaxBody, a link
// that is no digest, and a time before 1970 or after 2261, where nanoseconds
// do not fit into 64 bits.
func (r Record) check() error {
	switch {
	case r.ID == "" || len(r.ID) > MaxName || !utf8.ValidString(r.ID) || strings.ContainsFunc(r.ID, unicode.IsControl):
		return fmt.Errorf("a name is 1 to %d bytes of UTF-8 without control characters", MaxName)
	case !slices.Contains(Kinds(), r.Kind):
		return fmt.Errorf("unknown kind %q", r.Kind)
	case len(r.Body) > MaxBody:
		return fmt.Errorf("body of %d bytes is over the bound of %d", len(r.Body), MaxBody)
	case !isDigest(r.Prev):
		return fmt.Errorf("prev is not the hash of a record")
	case r.Time.Year() < 1970 || r.Time.Year() > 2261:
		return fmt.Errorf("time %s is out of range", r.Time)
	}
	return nil
}

// computeHash hashes the canonical header.
func (r Record) computeHash() string { return digest(r.appendCanonical(make([]byte, 0, 512), false)) }

// Marshal writes the whole envelope as one line of canonical JSON, without the
// line break.
func (r Record) Marshal() ([]byte, error) {
	body, err := toolcall.Parse(r.Body, bounds)
	if err != nil {
		return nil, fmt.Errorf("record %d: body: %w", r.Index, err)
	}
	if body.Canonical() != string(r.Body) {
		return nil, fmt.Errorf("record %d: its body is not canonical JSON", r.Index)
	}
	return r.appendCanonical(nil, true), nil
}

// appendCanonical appends the envelope as canonical JSON (RFC 8785: members
// sorted by name), or only its header: all but body and hash. Every commit
// waits for it, so it builds no toolcall.Value on the way.
func (r Record) appendCanonical(b []byte, whole bool) []byte {
	text := func(name, value string) {
		b = append(b, name...)
		b = toolcall.StringOf(value).AppendCanonical(b)
	}
	b = append(b, '{')
	if whole {
		b = append(b, `"body":`...)
		b = append(b, r.Body...)
		b = append(b, ',')
	}
	text(`"body_digest":`, r.BodyDigest)
	if whole {
		text(`,"hash":`, r.Hash)
	}
	text(`,"id":`, r.ID)
	b = append(b, `,"index":`...)
	b = strconv.AppendUint(b, r.Index, 10)
	text(`,"kind":`, string(r.Kind))
	text(`,"prev":`, r.Prev)
	b = append(b, `,"time":"`...)
	b = append(r.Time.AppendFormat(b, time.RFC3339Nano), '"')
	b = append(b, `,"version":`...)
	b = strconv.AppendUint(b, Version, 10)
	return append(b, '}')
}

// bounds of one envelope. They are wider than those of a call, which stands
// inside of one.
var bounds = toolcall.Bounds{Bytes: 2 * MaxBody, Depth: 128}

func isDigest(s string) bool {
	rest, found := strings.CutPrefix(s, "sha256:")
	return found && len(rest) == 2*sha256.Size && strings.Trim(rest, "0123456789abcdef") == ""
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}
