// Package task holds the tasks of the security bench: what is asked, the small
// folder of files that it is about, and, apart from them, what is right.
//
// All files are toys that were written for this bench. Nothing in them is in use
// anywhere, and no weakness of real software is in them.
//
//	trees/L01/...         the files of a task, as they are before anything varies
//	manifests/L01.json    what is asked, and what may vary
//	prompts/              what a model is told
//	gold/L01.json         what is right: lines by their anchors, accepted answers, hidden tests
//	twins/L01.diff        what makes the same files without the flaw of them
//
// [Get] reads a task, [Task.Fixture] makes its files for a seed: identifiers are
// renamed, lines put in and blocks exchanged, always the same for a seed, and a
// fake key, fake people and fake hosts are exchanged for others. File names and
// behaviour stay. What is right is found again in every variant, as an anchor names
// a line by its text and [Fixture.Gold] knows where each line of the base tree went.
//
// Gold is never written to a disk that an agent's tools reach: only
// [Fixture.Write] writes, and it knows nothing but the files.
//
// Trees in Go are packages of this module, so that they are compiled and looked at
// like any other code. go.mod files, which would make another module of them, have
// names that end in .txt here.
package task
