// Package export makes the public form of a recorded run.
//
// [Of] applies the rules of package redact to every text of a run: what its events
// say, its manifests and its blobs. What a rule hides becomes a mark; everything else
// stays, byte for byte. A blob gets the name that its public form has, and what names
// it follows. The chains are made anew: each event keeps the hash of the one that it
// was made of, and before the end of channel 1 stands how often each rule replaced
// something.
//
// What an event calls a thing (its members, its type, the words of the bench) is the
// form of a trace and no text. Hashes of files in the workspace, and of lines that
// were shown, stay as they are.
//
// [Public.Leaks] looks through files as they lie on disk for what must not be in them.
package export
