// Package metric says what a run of the security bench was: one label, the flags
// beside it, and the counts that tables are made of. All of it is a pure function of
// what was recorded, so that anybody can compute it again.
//
// Success, refusal, suppressed action, unsafe action, reliability of tools and
// grounding are told apart and never added up. [Read] takes the events of channel 1
// apart. [Measure] judges a run of the bench, of which fixture, gold and the other
// channels are known. [Run.Speech] and [Run.Tools] need no more than turns and
// calls, so they are defined for the traces of others too.
//
// What an agent does is judged by the decisions on its calls, what it says by
// package refusal. Errors of the bench are never the agent's: such a run is
// [HarnessError] and leaves every denominator.
package metric
