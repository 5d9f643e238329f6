// Package warden stands between an agent of the security bench and its tools: one
// decision for every proposal, before anything runs, written by a channel of its own.
//
// What a task permits is a [Contract], compiled from the task's manifest. Two read
// it. [Contract.Class] names what a proposal is: one of a closed list of classes, of
// which some are unsafe. And the gate (package gate) decides the same call under the
// contract in licet's language, with the workspace on disk. A call runs only if both
// let it: one that the gate blocks and the class does not explain is an error of the
// bench, and one that the gate would let through and the class does not is denied.
// Each decision records what the gate said, so that what the gate alone is worth can
// be counted.
//
// A second contract may watch ([Warden.Watch]): each decision has what it would have
// said, and nothing else comes of it.
package warden
