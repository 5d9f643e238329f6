// Package learn proposes a contract from what agents did: one clause for each tool
// that they called, with what the calls have in common. Where the values of an
// argument were stated by the user, or stand in a field of an earlier result, the
// clause asks for that; numbers are bounded by the least and greatest seen; a few
// values that come again and again are listed. An argument with nothing in common
// is left unbounded, and the proposal says so.
//
// A proposal permits what was seen and guesses at the rest. It is for a person to
// read and cut: it never takes the place of a contract in use, and what it would
// have stopped and admitted elsewhere is measured by a replay of traces that it was
// not learned from.
//
// Whether a source states a value is asked of package facts, as the gate asks it.
package learn
