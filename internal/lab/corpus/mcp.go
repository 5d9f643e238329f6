package corpus

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
)

// mcpInput is the input of an mcp row. Transport is where the row was seen;
// what it says holds for every door.
type mcpInput struct {
	Transport string              `json:"transport"`
	Policy    policy              `json:"policy"`
	Raw       string              `json:"raw"`
	RawHex    string              `json:"raw_hex"`
	RawGen    *generated          `json:"raw_gen"`
	Catalog   *catalogInput       `json:"catalog"`
	Servers   map[string][]string `json:"servers"`
	FS        map[string]string   `json:"fs"` // path -> "-> target" of a link
	History   *history            `json:"history"`
	Forwarded bool                `json:"forwarded_must_equal_raw"`
	OnlyList  []string            `json:"response_must_only_list"`
}

type generated struct {
	Prefix string `json:"prefix"`
	Repeat string `json:"repeat"`
	Count  int    `json:"count"`
	Suffix string `json:"suffix"`
}

type history struct {
	Agent   string `json:"agent"`
	Calls   int    `json:"calls_last_hour"`
	Changed bool   `json:"session_id_changed"`
}

// onlyServer is the server of rows that name none.
const onlyServer = "tools"

func translateMCP(input []byte) (play, error) {
	var in mcpInput
	if err := strict(input, &in); err != nil {
		return play{}, err
	}
	if err := in.Policy.check(); err != nil {
		return play{}, err
	}
	if in.Transport != "" && in.Transport != "streamable-http" {
		return play{}, fmt.Errorf("the transport %q is not known", in.Transport)
	}
	raw, err := in.message()
	if err != nil {
		return play{}, err
	}
	c := play{draft: draft{tools: map[string][]toolcall.Value{}}}
	if err := in.contract(&c); err != nil {
		return play{}, err
	}
	if c.files, err = in.files(); err != nil {
		return play{}, err
	}
	if err := in.steps(&c, raw); err != nil {
		return play{}, err
	}
	return c, nil
}

// message returns the exact text, with the roots of the policy in the case's
// workspace.
func (in mcpInput) message() ([]byte, error) {
	raw, given := []byte(in.Raw), 0
	if in.Raw != "" {
		given++
	}
	if in.RawGen != nil {
		raw = []byte(in.RawGen.Prefix + strings.Repeat(in.RawGen.Repeat, in.RawGen.Count) + in.RawGen.Suffix)
		given++
	}
	if in.RawHex != "" {
		var err error
		if raw, err = hex.DecodeString(in.RawHex); err != nil {
			return nil, err
		}
		given++
	}
	if given != 1 {
		return nil, fmt.Errorf("a row has one of raw, raw_gen and raw_hex, not %d", given)
	}
	for _, root := range in.roots() {
		raw = []byte(strings.ReplaceAll(string(raw), root, inWorkspace(root)))
	}
	return raw, nil
}

// roots returns the directories that the policy names.
func (in mcpInput) roots() (roots []string) {
	for _, t := range in.Policy.Tools {
		for _, a := range t.Args {
			if a.Under != "" {
				roots = append(roots, a.Under)
			}
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

// contract writes rules and catalogs.
func (in mcpInput) contract(c *play) error {
	rules := map[string]toolcall.Value{}
	for _, name := range in.Policy.names() {
		rule, err := in.Policy.rule(name)
		if err != nil {
			return err
		}
		ref, qualified := in.ref(name)
		rules[ref] = rule
		// Where there are servers, a tool without one has no meaning in our
		// language: which of them would be called?
		c.refused = c.refused || !qualified
	}
	c.draft.agents = map[string]map[string]toolcall.Value{in.Policy.Agent: rules}
	if in.Servers != nil {
		for server, names := range in.Servers {
			for _, name := range names {
				c.draft.tools[server] = append(c.draft.tools[server], tool(name, "", undeclared()))
			}
		}
		return nil
	}
	for _, name := range in.Policy.names() {
		schema, err := in.Policy.Tools[name].schema()
		if err != nil {
			return err
		}
		c.draft.tools[in.server()] = append(c.draft.tools[in.server()], tool(name, "", schema))
	}
	return nil
}

// ref names a tool of the policy as contracts do, and whether it can.
func (in mcpInput) ref(name string) (string, bool) {
	if in.Servers == nil {
		return in.server() + "." + name, true
	}
	server, tool, ok := strings.Cut(name, "/")
	return server + "." + tool, ok
}

// server returns the server of a row that has one.
func (in mcpInput) server() string {
	if in.Catalog != nil && in.Catalog.Pin != nil {
		return in.Catalog.Pin.Server
	}
	return onlyServer
}

// files returns the links on disk, and a directory where each of them leads to
// inside of a root.
func (in mcpInput) files() (files []cases.File, err error) {
	roots := in.roots()
	move := func(path string) (string, bool) {
		for _, root := range roots {
			if path == root || strings.HasPrefix(path, root+"/") {
				return inWorkspace(path), true
			}
		}
		return path, false
	}
	for _, path := range slices.Sorted(maps.Keys(in.FS)) {
		target, link := strings.CutPrefix(in.FS[path], "-> ")
		at, inside := move(path)
		if !link || !inside {
			return nil, fmt.Errorf("%q: %q is no link below a root of the policy", path, in.FS[path])
		}
		to, inside := move(target)
		if inside {
			files = append(files, cases.File{Path: to + "/.keep"})
		}
		files = append(files, cases.File{Path: at, Link: to})
	}
	return files, nil
}

// steps writes what happens: the live catalog, what went before, the message.
func (in mcpInput) steps(c *play, raw []byte) error {
	call := cases.Call{Agent: in.Policy.Agent, Session: "s1", Server: in.server(), Raw: raw}
	if in.Catalog != nil {
		if err := in.Catalog.apply(c, call); err != nil {
			return fmt.Errorf("catalog: %w", err)
		}
	}
	if h := in.History; h != nil {
		if h.Agent != in.Policy.Agent || h.Calls < 1 {
			return fmt.Errorf("the history is of %d calls by %q", h.Calls, h.Agent)
		}
		c.steps = append(c.steps, cases.Step{Act: call, Repeat: h.Calls, Expect: cases.Expect{Verdict: authz.Allow}})
		if h.Changed {
			call.Session = "s2"
		}
	}
	c.last = len(c.steps)
	servers := slices.Sorted(maps.Keys(in.Servers)) // the name may mean a tool of any of them
	if servers == nil {
		servers = []string{call.Server}
	}
	for _, call.Server = range servers {
		c.steps = append(c.steps, cases.Step{Act: call})
	}
	if in.Forwarded {
		c.steps = append(c.steps, cases.Step{Act: doors.Forwarded{}})
	}
	if in.OnlyList != nil {
		c.steps = append(c.steps, cases.Step{Act: doors.Listed{Tools: in.OnlyList}})
	}
	return nil
}

// catalogInput says how what a server offers compares with what was approved.
type catalogInput struct {
	Same        bool           `json:"pinned_equals_observed"`
	Description string         `json:"description"`
	Pin         *pinned        `json:"catalog_pin"`
	PinFile     string         `json:"pin_file"` // content of the approved copy
	Event       string         `json:"event"`
	Pinned      []string       `json:"pinned"`
	Observed    jsontext.Value `json:"observed"` // names; beside catalog_pin, digests by name
	PinnedArgs  []string       `json:"pinned_schema_fields"`
	LiveArgs    []string       `json:"observed_schema_fields"`
}

type pinned struct {
	Server string            `json:"server"`
	Tools  map[string]string `json:"tools"` // name -> digest
}

// apply changes the approved tools of c, and adds the steps after which the
// server offers others.
func (k catalogInput) apply(c *play, call cases.Call) error {
	approved := c.draft.tools[call.Server]
	for i, def := range approved {
		name := def.Get("name").Text()
		switch {
		case k.Description != "":
			approved[i] = tool(name, k.Description, undeclared())
		case k.Pin != nil:
			approved[i] = tool(name, k.Pin.Tools[name], undeclared())
		case k.PinnedArgs != nil:
			approved[i] = tool(name, "", declared(k.PinnedArgs))
		}
	}
	switch {
	case k.Same != (k.Description != ""):
		return fmt.Errorf("a description stands beside pinned_equals_observed")
	case k.PinFile != "":
		c.draft.broken, c.refused = map[string]string{call.Server: k.PinFile}, true
		return nil
	case k.Pin != nil:
		return k.redescribe(c, call.Server)
	case k.LiveArgs != nil:
		for _, def := range approved {
			c.steps = append(c.steps, cases.Step{Act: cases.DefinitionEdit{
				Server: call.Server, Tool: def.Get("name").Text(), Set: pairs("inputSchema", declared(k.LiveArgs)),
			}})
		}
		return nil
	case k.Pinned != nil:
		return k.offer(c, call)
	}
	return nil
}

// declared is the schema of a tool with these arguments.
func declared(args []string) toolcall.Value {
	properties := map[string]toolcall.Value{}
	for _, a := range args {
		properties[a] = pairs("type", text("string"))
	}
	return pairs("type", text("object"), "properties", object(properties))
}

// redescribe lets the digest that a row names be the description of the tool:
// two digests differ where two definitions do.
func (k catalogInput) redescribe(c *play, server string) error {
	var observed map[string]string
	if err := strict(k.Observed, &observed); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(observed)) {
		c.steps = append(c.steps, cases.Step{Act: cases.DefinitionEdit{
			Server: server, Tool: name, Set: pairs("description", text(observed[name])),
		}})
	}
	return nil
}

// offer lets the server offer other tools than approved, from the beginning or,
// with an event, once the client has looked at the list.
func (k catalogInput) offer(c *play, call cases.Call) error {
	var observed []string
	if err := strict(k.Observed, &observed); err != nil {
		return err
	}
	if k.Event != "" {
		if k.Event != "notifications/tools/list_changed" {
			return fmt.Errorf("the event %q is not known", k.Event)
		}
		call.Raw = []byte(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`)
		c.steps = append(c.steps, cases.Step{Act: call, Expect: cases.Expect{Verdict: authz.Allow}})
	}
	act := doors.Offer{Server: call.Server}
	for _, name := range observed {
		act.Tools = append(act.Tools, tool(name, "", undeclared()))
	}
	c.steps = append(c.steps, cases.Step{Act: act})
	return nil
}
