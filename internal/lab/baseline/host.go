package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// request is a call as the host of a policy engine reads it: with the reader of
// the standard library, as is usual, which takes the last of two members of the
// same name and does not tell letter case apart.
type request struct {
	agent, user, subject string
	cwd                  string         // absolute; where relative paths count from
	args                 map[string]any // numbers are json.Number
	now                  time.Time
}

// read makes the request for a call; without a working directory of its own it
// is made in the workspace. An error is a message that no host takes
// for a call: it is refused.
func read(c cases.Call, now time.Time) (request, error) {
	r := request{agent: c.Agent, user: c.User, cwd: path.Clean("/" + cmp.Or(c.Cwd, places.Workspace)), now: now}
	if c.Raw == nil {
		r.subject = c.Server + "." + c.Tool
		text := []byte("{}")
		if c.Arguments.Kind() != toolcall.Absent {
			text = c.Arguments.AppendCanonical(nil)
		}
		return r, decode(text, &r.args)
	}
	var m struct {
		Method string
		Params json.RawMessage
	}
	if err := decode(c.Raw, &m); err != nil {
		return r, err
	}
	r.subject = subject(c.Server, m.Method, "")
	if m.Method != contract.ToolsCall {
		return r, decode(m.Params, &r.args)
	}
	var params struct {
		Name      string
		Arguments map[string]any
	}
	if err := decode(m.Params, &params); err != nil {
		return r, err
	}
	r.subject, r.args = subject(c.Server, m.Method, params.Name), params.Arguments
	return r, nil
}

func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("reading the message: %w", err)
	}
	return nil
}

// arguments returns the arguments, empty where the message has none.
func (r request) arguments() map[string]any {
	if r.args == nil {
		return map[string]any{}
	}
	return r.args
}
