// Package tool is the eight tools of the security bench: what a model is told of
// them, which arguments they take, and what they do in a workspace.
//
// Tools are the same, byte for byte, for all tasks; the contract says which of them
// a task grants. There is no shell and no network. Files are reached through an
// os.Root, and only regular files with one link are opened. Only the harness starts
// a process, and that is another package's.
//
// Every call that a model makes, whatever became of it, is answered by one JSON
// object, the envelope: its receipt's name, a status, a code and data.
package tool
