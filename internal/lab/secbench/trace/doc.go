// Package trace is the record of one run of the security bench: what the
// agent said, what was decided, what ran, and how it was graded.
//
// A run is a folder with three channels that must tell the same story:
//
//	trace.jsonl          channel 1, the controller's events
//	gate.jsonl           channel 2, written by gate and tools through a writer of their own
//	manifest.pre.json    channel 3, the files of the workspace before
//	manifest.post.json   and after the run
//	blobs/<sha256>       what events name by its hash: answers, results, inputs, outputs
//
// A line is one [Event] in canonical JSON (RFC 8785, package toolcall) without
// floats. Events are chained: prev is the hash of the event before, and hash that
// of the event without hash. The last event of channel 1 holds the head of
// channel 2 so far, the closing one of channel 2 the hash of that event, and the
// index of a set of runs both heads, so that a cut tail shows. [Read] says where a
// file was altered.
//
// Every event about a call carries the decision on it from the decision on. The
// proposal stands before it and has none, so that a crash in between is visible. A
// proposal that was dropped behind the end of a turn is never decided.
//
// The public form of a run (package export) has chains of its own, whose events hold
// the hash of the one that they were made of as orig.
package trace
