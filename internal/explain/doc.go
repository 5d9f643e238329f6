// Package explain says why a call gets the verdict that it gets: each clause
// with every constraint and the value it saw, each limit with what is used of
// it, and the smallest change of the arguments that would get a wider verdict.
//
// It decides nothing. The verdict is that of package decide for the same facts,
// constraints report on themselves (contract.Clause.Report), and a proposed
// change is proposed because the call with it was decided again. So an
// explanation cannot differ from the decision that it explains.
//
// The package is pure: the facts of a changed call come through a function that
// the caller gives.
package explain
