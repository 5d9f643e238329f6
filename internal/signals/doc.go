// Package signals looks at the environment in which a call would run, and states
// facts: how many untracked files `git clean` would remove, who else holds a file
// open, what a push starts. Facts, not consent: a collector never sees what the
// user wrote, and what is not known is never shown as if all were well.
//
// [Collect] runs the collectors that an effect of the action triggers, all at
// once, and returns observations in a stable order with a digest over them. The
// collectors and their keys are a table in package constraint, because contracts
// name them ($signal), too. docs/signals.md says what each reads.
//
// # A hostile disk
//
// All that is read may have been written by an attacker: repository, file names,
// branch names, names of processes. So
//
//   - nothing is ever executed: no git, no hook, no filter, no credential helper.
//     Index, references and objects of git are parsed here. The reader of indexes
//     in go-git has no bound of entries and drops the flag by which git leaves a
//     file alone, and its objects come with a storage layer that reads settings;
//   - nothing is resolved or dialled: the package imports nothing that could;
//   - only regular files are opened, without blocking and without following a
//     link, and looked at once more when they are open;
//   - time, entries and bytes are bounded; a collector that is stuck in the
//     operating system is left behind, and its keys are unknown;
//   - values are counts, truth values, words and lists that begin with a count.
//     Names are cut, freed of control and bidirectional characters, and redacted.
//     Of a secret its class is told, or the name of its key, never its value.
package signals
