// Package sandbox runs a command of the security bench where it can reach nothing:
// not the files, processes, network or environment of the machine, and no more of
// it than its limits say. Linux only; elsewhere [Box.Run] says so and runs nothing.
//
// # Life of a command
//
// [Box.Run] starts this program again, by [Box.Self], in new user, mount, pid,
// network, IPC and UTS namespaces. There [Enter] puts on one layer after the other
// and then becomes the command:
//
//	mounts        a root of its own: a private folder for temporary files and the
//	              paths of the plan, read-only, under their own names. There is
//	              no /proc and no /sys.
//	limits        of time, memory, processes, descriptors and size of files
//	descriptors   none but 0 to 2
//	landlock      strict, at an ABI that is named: an older kernel is refused
//	seccomp       a list of system calls that are refused
//	capabilities  none, and none to be had; no new privileges
//	user          not root, where the machine's root started it
//	environment   what the command says, and nothing else
//
// A layer that cannot be put on is a [Missing], and nothing runs. [Off] names each
// layer, so that a test can take away exactly one and see that a check notices; its
// zero value takes away none.
//
// The command is the first process of its pid namespace: when it ends or is killed,
// so is everything that it started.
//
// The layers, limits and what they were seen to stop are those of section 10 of the
// bench's specification.
package sandbox
