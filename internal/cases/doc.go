// Package cases says what a contract must answer, and asks it.
//
// A [Case] is data: a call or a short story of calls, user turns, answers of
// approvers, waiting and changes, each call with the [Expect]ed answer. [Load]
// reads a file of them, which stands beside the contract it is about; the
// format is docs/spec/cases.md. Those who have cases of another origin build a
// [Suite] themselves.
//
// [Run] plays suites through a [Door] and compares what the door answered with
// what was expected. Doors know nothing of expectations: every door is given
// the same steps, and one that cannot do a step says so with [Inexpressible],
// so that nothing is skipped in silence. [Core] is the door without a wire: a
// real gate over a store in memory, with a clock that a case moves.
//
// [Measure] says which clauses, constraints and limits of a contract its cases
// exercise.
package cases
