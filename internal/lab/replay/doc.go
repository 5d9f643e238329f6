// Package replay asks a contract about tool calls that were made before it: it
// plays recorded trajectories through the gate and says what would have been held
// or blocked.
//
// Each trajectory is a session of its own. Its calls are decided in order, with the
// user turns before them and the results of those earlier calls that were let
// through: a tool that would not have run states nothing. What the agent would have
// done after a call that was stopped nobody knows; a replay either goes on with
// what it did, or ends the trajectory there ([Options]).
//
// [Run] reads files in a stream and notes every [Outcome] in a [Journal] as it
// comes, so that a run that was killed goes on where it was and comes to the same
// report.
package replay
