// Package facts answers the questions that the clauses of a contract ask about
// the world, so that deciding stays pure. It is the PIP of the design.
//
// There are three kinds of question, and [Answer] takes all of them:
//
//   - Where does this path lead? [Resolve] follows links as the operating system
//     does and marks what no pattern may cover.
//   - Was this value stated before, in a user turn or in the result of an earlier
//     call? That is provenance: the `from` of the contract language, section 3.
//   - What would this command do? Package shell reads it; here its effects are put
//     to their places: links followed, trees listed, patterns expanded, remotes of
//     git and programs along PATH looked up. Nothing is run.
//
// An error means that facts could not be gathered: the call is BLOCK. An answer
// that is left out means "not known", which never permits anything.
//
// Results are read once, by [Observe], and kept as keyed hashes of their tokens
// ([Leaf]): whoever reads the store learns neither text nor names from it, and
// without the key cannot test a guess. docs/decisions/0002-provenance-as-keyed-hashes.md
// says why, and what that costs.
package facts
