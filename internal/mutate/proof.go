package mutate

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// proof returns why no call can tell a mutant from the contract, "" if that is
// not proven.
func proof(original *contract.Contract, m *Mutant) string {
	schema := schemaOf(original, m.tool)
	switch {
	case contract.Compare(original, m.loaded).Direction == contract.Equal:
		return "`licet contract diff` proves that both answer every call alike"
	case m.Kind == KindOptional && m.Operator == Weaken && required(schema, m.about.argument()):
		return "the input schema requires the argument, so it is never absent"
	case m.Operator == Extra && closed(schema):
		return "the input schema itself refuses what it does not declare"
	}
	return ""
}

// schemaOf returns the input schema of the tool that a rule names itself; absent
// for groups and methods.
func schemaOf(c *contract.Contract, ref string) toolcall.Value {
	server, name, _ := strings.Cut(ref, ".")
	known, ok := c.Catalog(server)
	if !ok || known.Approved == nil {
		return toolcall.Value{}
	}
	tool, ok := known.Approved.Tool(name)
	if !ok {
		return toolcall.Value{}
	}
	return tool.InputSchema()
}

// required reports whether an argument is always there and not null.
func required(schema toolcall.Value, argument string) bool {
	must, known := schema.Get("required"), schema.Get("properties").Get(argument).Get("type")
	return must.Kind() == toolcall.Array && slices.ContainsFunc(elements(must), func(v toolcall.Value) bool { return v.Text() == argument }) &&
		known.Kind() == toolcall.String && known.Text() != "null"
}

// elsewhereDeclared are the keywords of JSON Schema that can declare members at other
// places than plain properties and items do.
var elsewhereDeclared = []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
	"patternProperties", "prefixItems", "contains", "unevaluatedItems", "unevaluatedProperties"}

// closed reports whether a schema of plain properties refuses all others at
// every level.
func closed(schema toolcall.Value) bool {
	says := func(word string) bool { return schema.Get(word).Kind() != toolcall.Absent }
	if schema.Kind() != toolcall.Object || slices.ContainsFunc(elsewhereDeclared, says) {
		return false
	}
	properties, more := schema.Get("properties"), schema.Get("additionalProperties")
	if (says("properties") || says("additionalProperties")) && (more.Kind() != toolcall.Bool || says("properties") && more.Bool()) {
		return false
	}
	for i := range properties.Len() {
		if _, s := properties.Member(i); !closed(s) {
			return false
		}
	}
	return !says("items") || closed(schema.Get("items"))
}

// elements returns the elements of an array.
func elements(v toolcall.Value) []toolcall.Value {
	if v.Kind() != toolcall.Array {
		return nil
	}
	all := make([]toolcall.Value, v.Len())
	for i := range all {
		all[i] = v.Elem(i)
	}
	return all
}
