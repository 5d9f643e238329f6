// Package contract loads the text of a contract into an immutable, checked
// [Contract]: the deterministic rules that package decide applies.
//
// [Load] reads the whole text and every file it names, or nothing: a contract
// with any [Problem] is refused, and all problems are reported at once with
// file, line, column and the nearest known word. What this version of licet
// does not know is refused by name, never ignored, so that a contract cannot
// seem to say more than is enforced.
//
// Reading happens in four steps: package yamlwalk turns YAML into a tree and
// refuses what two YAML readers could understand in two ways; words.go holds
// the words of the language; load.go, agents.go, names.go, clauses.go and
// readlimits.go check the tree against the words and the pinned catalogs;
// digest.go names the result.
//
// Names that stand for several things are resolved when a contract is loaded:
// groups of tools and labels against the pinned copy, agents that extend agents
// into a chain of rules ([Rule.Base]) whose limits are counted for the caller.
//
// Beside loading: [Lint] names what loads and does not do what it seems to,
// [Format] writes the canonical layout, [Contract.Explain] says in sentences what
// an agent may do, and [EditorSchema] tells editors the words.
// The language is described for its users in docs/spec/contract.md, the tools in
// docs/contracts.md.
//
// The package is pure: files are read through a function that the caller gives.
package contract
