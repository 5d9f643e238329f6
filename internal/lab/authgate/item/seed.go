package item

import (
	"strings"

	"github.com/licet-dev/licet/internal/lab/ngram"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Seed is a seed example or an incident report: a text that no row may copy.
type Seed struct {
	ID   string
	form form
}

// ParseSeed reads an example: an object with id, request, trajectory (of any
// shape) and action (tool and args).
func ParseSeed(raw []byte) (Seed, error) {
	v, err := toolcall.Parse(raw, toolcall.Bounds{})
	if err != nil {
		return Seed{}, err
	}
	text := func(v toolcall.Value) ngram.Set { return ngram.Of(ngram.Words(strings.Join(valueStrings(v), " "))) }
	action := toolcall.ArrayOf(v.Get("action").Get("tool"), v.Get("action").Get("args"))
	return Seed{v.Get("id").Text(), form{text(v.Get("request")), text(v.Get("trajectory")), text(action)}}, nil
}
