package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what is told (judge.md, 11.1).
const (
	maxNames = 20
	maxText  = 200 // characters of one text
	maxRaw   = 4096
)

// sink takes what one collector observes. A key that it does not set is unknown.
type sink struct {
	collector string
	kinds     map[string]constraint.SignalKind
	found     map[string]constraint.Signal
	age       time.Duration // of what is observed next
	missed    []string
	took      time.Duration
}

func newSink(name string) *sink {
	s := &sink{collector: name, kinds: map[string]constraint.SignalKind{}, found: map[string]constraint.Signal{}}
	for _, k := range constraint.SignalKeys(name) {
		s.kinds[k.Key] = k.Kind
	}
	return s
}

// unseen notes what could not be seen.
func (s *sink) unseen(why string) {
	if why = clean(why); !slices.Contains(s.missed, why) && len(s.missed) < maxNames {
		s.missed = append(s.missed, why)
	}
}

// signals returns an observation for every key of the collector.
func (s *sink) signals() []constraint.Signal {
	var all []constraint.Signal
	for _, k := range constraint.SignalKeys(s.collector) {
		o := s.found[k.Key]
		o.Collector, o.Key = s.collector, k.Key
		all = append(all, o)
	}
	return all
}

// put notes an observation. A key of another type is a defect.
func (s *sink) put(key string, kind constraint.SignalKind, complete bool, n int, v toolcall.Value) {
	if s.kinds[key] != kind {
		panic(fmt.Sprintf("signals: %s has no %s of kind %s", s.collector, key, kind))
	}
	o := constraint.Signal{Complete: complete, Age: s.age}
	if complete {
		o.Value = v
	} else {
		o.AtLeast = n
	}
	s.found[key] = o
}

func (s *sink) count(key string, n int, complete bool) {
	s.put(key, constraint.SignalCount, complete, n, whole(n))
}

func (s *sink) flag(key string, v, complete bool) {
	s.put(key, constraint.SignalFlag, complete, 0, toolcall.Boolean(v))
}

// word notes a text; "" is noted as "none".
func (s *sink) word(key, text string, complete bool) {
	if text = clean(text); text == "" {
		text = "none"
	}
	s.put(key, constraint.SignalWord, complete, 0, toolcall.StringOf(text))
}

// names notes how many there are, and the first of them in order.
func (s *sink) names(key string, all []string, complete bool) {
	list := slices.Clone(all)
	slices.Sort(list)
	list = slices.Compact(list)
	n := len(list)
	var shown []toolcall.Value
	for _, name := range list[:min(n, maxNames)] {
		shown = append(shown, toolcall.StringOf(clean(name)))
	}
	s.put(key, constraint.SignalNames, complete, n, toolcall.ObjectOf(
		toolcall.Member{Name: "count", Value: whole(n)},
		toolcall.Member{Name: "names", Value: toolcall.ArrayOf(shown...)},
	))
}

func whole(n int) toolcall.Value {
	d, err := toolcall.ParseDecimal(strconv.Itoa(n))
	if err != nil {
		panic("signals: a whole number is no decimal: " + err.Error()) // it always is one
	}
	return toolcall.NumberOf(d)
}

// longID matches what may be an id, an account number or a key without a form: ten
// digits or more, or a long word with digits in it.
var longID = regexp.MustCompile(`[0-9]{10,}|[0-9A-Za-z+_=-]{32,}`)

// inAddress matches what may be secret in an address, also in one that was cut
// apart: user information and query.
var inAddress = regexp.MustCompile(`[^\s/:@?]*:[^\s/@]*@|\?[^\s?]*=\S*`)

// clean returns a text of the environment as it may be shown: one line of bounded
// length, without characters that steer a terminal or the direction of writing,
// with secrets masked and long ids replaced by a digest.
func clean(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxRaw)], "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return -1
		}
		return r
	}, text)
	text = inAddress.ReplaceAllString(text, "…")
	text = longID.ReplaceAllStringFunc(evidence.Line(text), func(id string) string {
		if !strings.ContainsAny(id, "0123456789") {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		return "#" + hex.EncodeToString(sum[:4])
	})
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}
