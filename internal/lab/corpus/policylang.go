package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// policy is a contract as mcp rows write it.
type policy struct {
	Agent   string                `json:"agent"`
	Default string                `json:"default"` // BLOCK, or ALLOW_HOSTS_EXCEPT where an argument has host_not_in
	Tools   map[string]toolPolicy `json:"tools"`
	Deny    []string              `json:"deny"`
	Approve []string              `json:"approve"`
	Rate    map[string]string     `json:"rate"` // tool -> "10/hour"
}

type toolPolicy struct {
	Args       map[string]argPolicy `json:"args"`
	Additional *bool                `json:"additional_args"`
}

// argPolicy bounds one argument. A bounded argument must be there, as in our
// language; required also goes into the tool's schema.
type argPolicy struct {
	Type      string           `json:"type"`
	Required  bool             `json:"required"`
	Min       jsontext.Value   `json:"min"`
	Max       jsontext.Value   `json:"max"`
	Enum      []jsontext.Value `json:"enum"`
	Under     string           `json:"under"`
	HostIn    []string         `json:"host_in"`
	HostNotIn []string         `json:"host_not_in"`
	Scheme    []string         `json:"scheme"`
	PathUnder string           `json:"path_under"`
}

// names returns every tool that the policy names, sorted.
func (p policy) names() []string {
	all := slices.Concat(slices.Collect(maps.Keys(p.Tools)), p.Deny, p.Approve)
	slices.Sort(all)
	return slices.Compact(all)
}

// check refuses what the translation would read wrongly.
func (p policy) check() error {
	denies := false
	for _, t := range p.Tools {
		for _, a := range t.Args {
			denies = denies || len(a.HostNotIn) > 0
		}
	}
	switch {
	case p.Agent == "":
		return fmt.Errorf("a policy needs an agent")
	case p.Default == "BLOCK" && !denies, p.Default == "ALLOW_HOSTS_EXCEPT" && denies:
		return nil
	}
	return fmt.Errorf("the default %q does not fit the arguments", p.Default)
}

// rule returns what the contract says of a tool.
func (p policy) rule(name string) (toolcall.Value, error) {
	switch {
	case slices.Contains(p.Deny, name):
		return text("block"), nil
	case slices.Contains(p.Approve, name):
		return text("approve"), nil
	}
	allow, never, err := p.Tools[name].clauses(name)
	if err != nil {
		return toolcall.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	if p.Tools[name].Args == nil && len(p.Deny) > 0 {
		// A tool with undeclared arguments may run other tools: what is denied is
		// denied there, too.
		never = append(never, pairs("tool_name", pairs("in", texts(p.Deny))))
	}
	members := map[string]toolcall.Value{"allow": toolcall.ArrayOf(allow)}
	if len(never) > 0 {
		members["never"] = toolcall.ArrayOf(never...)
	}
	if rate, ok := p.Rate[name]; ok {
		limit, err := rateLimit(rate)
		if err != nil {
			return toolcall.Value{}, err
		}
		members["limits"] = toolcall.ArrayOf(limit)
	}
	return object(members), nil
}

// rateLimit reads "10/hour".
func rateLimit(s string) (toolcall.Value, error) {
	calls, per, _ := strings.Cut(s, "/")
	window, known := map[string]string{"minute": "1m", "hour": "1h", "day": "1d"}[per]
	n, err := toolcall.ParseDecimal(calls)
	if err != nil || !known {
		return toolcall.Value{}, fmt.Errorf("the rate %q is not known", s)
	}
	return pairs("calls", toolcall.NumberOf(n), "per", text(window)), nil
}

// clauses returns the one clause that allows a call, and those that never may
// hold.
func (t toolPolicy) clauses(name string) (allow toolcall.Value, never []toolcall.Value, err error) {
	clause := map[string]toolcall.Value{}
	for _, arg := range slices.Sorted(maps.Keys(t.Args)) {
		a := t.Args[arg]
		c, err := a.constraints(name)
		if err != nil {
			return toolcall.Value{}, nil, fmt.Errorf("%s: %w", arg, err)
		}
		if len(c) > 0 {
			clause[arg] = object(c)
		}
		if len(a.HostNotIn) > 0 {
			never = append(never, pairs(arg, pairs("url", pairs("hosts", texts(a.HostNotIn)))))
		}
	}
	return object(clause), never, nil
}

func (a argPolicy) constraints(tool string) (map[string]toolcall.Value, error) {
	c := map[string]toolcall.Value{}
	for word, bound := range map[string]jsontext.Value{"min": a.Min, "max": a.Max} {
		if bound == nil {
			continue
		}
		v, err := toolcall.Parse(bound, toolcall.Bounds{})
		if err != nil {
			return nil, err
		}
		c[word] = v
	}
	if a.Enum != nil {
		list, err := values(a.Enum)
		if err != nil {
			return nil, err
		}
		c["in"] = toolcall.ArrayOf(list...)
	}
	if a.Under != "" {
		c["path"] = pairs(mode(tool), texts([]string{inWorkspace(a.Under) + "/**"}))
	}
	if url := a.url(); url.Len() > 0 {
		c["url"] = url
	}
	return c, nil
}

func values(list []jsontext.Value) (all []toolcall.Value, err error) {
	for _, raw := range list {
		v, err := toolcall.Parse(raw, toolcall.Bounds{})
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (a argPolicy) url() toolcall.Value {
	url := map[string]toolcall.Value{}
	if a.HostIn != nil {
		url["hosts"] = texts(a.HostIn)
	}
	if a.Scheme != nil {
		url["schemes"] = texts(a.Scheme)
	}
	if a.PathUnder != "" {
		url["paths"] = texts([]string{a.PathUnder})
	}
	return object(url)
}

// mode says whether a tool reads or writes the file that an argument names. The
// corpus does not; a tool that is not named for reading may write.
func mode(tool string) string {
	for _, prefix := range []string{"read_", "get_", "list_", "search_"} {
		if strings.HasPrefix(tool, prefix) {
			return "read"
		}
	}
	return "write"
}

// inWorkspace moves an absolute path of the corpus into the case's workspace.
func inWorkspace(path string) string { return "${workspace}" + strings.TrimSuffix(path, "/") }

// schema returns the input schema of a tool. Undeclared arguments are open.
func (t toolPolicy) schema() (toolcall.Value, error) {
	if t.Args == nil {
		return undeclared(), nil
	}
	properties := map[string]toolcall.Value{}
	var required []string
	for _, name := range slices.Sorted(maps.Keys(t.Args)) {
		a := t.Args[name]
		kind := cmp.Or(a.Type, "string")
		if !slices.Contains([]string{"string", "integer", "number", "boolean"}, kind) {
			return toolcall.Value{}, fmt.Errorf("the type %s is not known", strconv.Quote(kind))
		}
		properties[name] = pairs("type", text(kind))
		if a.Required {
			required = append(required, name)
		}
	}
	members := map[string]toolcall.Value{
		"type": text("object"), "properties": object(properties),
		"additionalProperties": toolcall.Boolean(t.Additional == nil || *t.Additional),
	}
	if required != nil {
		members["required"] = texts(required)
	}
	return object(members), nil
}
