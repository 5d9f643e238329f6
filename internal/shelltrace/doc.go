// Package shelltrace holds package shell against what commands really do: it
// runs a command in a sandbox with its system calls recorded (strace), and
// compares what happened with what [shell.Analyze] and [shell.OwnOf] say of the same
// text.
//
// The sandbox is made of Linux namespaces: the machine's files with a layer in
// memory above them, which takes all writes; no network interface; processes of
// its own, which end with it; no rights outside. It needs root, util-linux and
// strace. It is made for commands that were read before, and is no prison for
// programs that attack the kernel.
//
// The package exists for tests; testdata/README.md says where the commands come
// from.
package shelltrace
