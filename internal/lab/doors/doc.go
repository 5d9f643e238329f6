// Package doors plays cases (package cases) on the doors that users have: a
// process of `licet decide` for each call, and `licet mcp` between a client and
// a server. [Core] is the door without a wire, with what the corpora need
// beyond cases.Core.
//
// A door here is given a contract as text and writes it to a folder of its own
// beside the state directory, outside of the places that a case works in. Where
// a contract is refused nothing runs: calls are answered BLOCK with the code
// no_contract, after the program was seen to end.
//
// Time is the store's, which never goes back behind its last record. That is
// how Wait works on processes: a record that is dated ahead moves the clock of
// all that share the state directory.
package doors
