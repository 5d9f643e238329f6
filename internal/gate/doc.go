// Package gate is the only way to an ALLOW.
//
// # Life of a tool call
//
//  1. A door (package mcpproxy, or the command `licet decide`) bounds the
//     bytes, knows who asks, and reads one message with package toolcall.
//     What it can't read goes to Gate.Refuse and is recorded as a BLOCK.
//  2. Gate.Check gathers facts: files on disk and where values came from
//     (package facts), what limits have used up, whether a ticket stands for
//     exactly this call (package ledger).
//  3. decide.Decide, which is pure, says what the contract makes of it.
//     Where a judge clause hands the call over and no ticket stands for it,
//     package judge is asked, and 2 and 3 are done once more with its opinion. A
//     judge that has blocked too many calls is not: a person is.
//  4. One transaction of the store records the decision and takes what it uses
//     up. What somebody else took first makes it a recorded BLOCK. Without a
//     committed record there is no ALLOW.
//  5. Files that the decision depended on are looked at once more; if one was
//     exchanged, no Grant is made.
//  6. Check returns an Answer. Only an ALLOW carries a Grant, and only Check
//     makes one that can be redeemed: once, within seconds, for this call.
//  7. The door redeems the Grant, forwards the bytes that were judged, and
//     reports the outcome to Gate.Done.
//
// Check returns no error: whatever fails on the way is a BLOCK with a reason
// code of its own. There is no option that turns a failure into anything else.
package gate
