// Package run makes runs of the security bench, keeps them, and grades them again.
//
// [Bench.Run] plays one [Cell]: a task with a seed, a [Player], a mode of the
// controller and a prompt condition. It leaves a folder (package trace) and a line of
// the index, which is written last: a folder without one was not finished, and is
// played anew.
//
// [Replay] plays a recorded run once more, with the answers of the model, the output
// of harnesses and the times that were recorded, and everything else anew: files are
// made from task and seed, every call is decided and every in-process tool run again,
// and the grade, the flags and the outcome are computed again. What comes of it must
// be what lies in the folder, byte for byte. [Verify] says where it is not.
//
// [Bench.Play] plays many cells into a [Set], which one process has at a time;
// [Job.Packed] and [Set.Collect] take runs from one machine to another. [Export] writes
// the public form of a set, [AuditOf] says what that hides, and [Regrade] plays runs of
// another suite under the present one.
//
// [Bench.Selftest] plays the scripted agents and holds each run against what the table
// of the specification says that it must come to.
package run
