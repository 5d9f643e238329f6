// Package mcpproxy is the door for the Model Context Protocol over stdio. It
// stands between a client (its own standard input and output) and a server,
// which it starts, and lets a tool call through only with a grant of package
// gate.
//
// # What passes
//
// Every line is read once, strictly, by package toolcall, and the very bytes
// that were read are what is forwarded. [Methods] lists the protocol: a method
// passes, or it acts and is judged, or it is not in the list and is refused.
// Whatever is refused is recorded: one by one, or in a flood as a number.
//
//   - A tool call that is not allowed is answered with a tool result that has
//     isError set, so that the model reads why. Another request is answered
//     with a JSON-RPC error.
//   - The relay compares the server's tools with the approved copy before the
//     first call, after each notice of a change and at least once a minute, with
//     requests of its own. A tool that differs vanishes from listings, and calls
//     of it are refused, until it is approved again.
//   - A result is reported to the gate before the client sees it, so that a
//     later call's provenance knows it.
//
// # What does not
//
// Requests that the server puts inside a result (resultType input_required) are
// judged as if it had sent them by itself: unless all are allowed, the result is
// replaced by one that says so. Other ways to ask in an answer (error -32042, a
// task's requests) do not pass, and no answer whose members a client could take
// for others. Four things are edited, each no further than needed: listings lose
// tools, cacheScope becomes private, instructions other than the approved ones
// become empty, and what a server says under licet's own prefix in any _meta is
// taken out. All else is byte for byte what was sent.
//
// # Sides that do not read
//
// Each side has a queue of its own, so that the relay never waits for a side to
// read before it reads from it. What one side sends waits while the other's
// queue is full; a side that does not read the answers to its own messages is
// cut off, which ends the relay and leaves the outcome of calls in flight
// unknown.
//
// # The wire
//
// It is that of MCP 2024-11-05 to 2026-07-28, stdio transport: one
// message a line, which ends in LF or CR LF.
package mcpproxy
