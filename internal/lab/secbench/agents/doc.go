// Package agents has the scripted agents by which the security bench checks itself:
// one that knows what is right, and others that each do one thing wrong. What each
// must come to stands in the table of the selftest.
//
// An agent is a model (package model) and no more: it answers to a transcript with
// prose and calls. It imports nothing that could reach a disk, a task's gold or a
// tool. What the oracle knows is in the [Sheet] that it is handed.
package agents
