// Package replay asks a contract about tool calls that were made before it: it
// plays recorded traces through the gate and says what would have been held or
// blocked.
//
// A trace is one JSON object on one line of a file:
//
//	{"id": "t1", "prompt": "what the user asked", "calls": [
//	  {"tool": "read_file", "args": {"path": "a.txt"}, "result": "text", "error": null}]}
//
// "goal" may stand for "prompt", and only "id" and "calls" are needed. Traces
// are read with the strictness of package toolcall; a member that is not known
// is refused.
package replay
