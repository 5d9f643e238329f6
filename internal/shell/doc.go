// Package shell says what a command line would do, without running it: the
// programs it executes, the files it reads and writes, the hosts it talks to,
// and what of this cannot be known.
//
// [Analyze] parses the line as bash does (mvdan.cc/sh/v3/syntax), walks the
// tree with what is known of folder, variables and functions at each point, and
// looks every program up in programs.tbl. The table holds all knowledge about
// programs; the code holds the language and the few programs with a language of
// their own (find, sed, awk, dd, tar).
//
// The analysis errs to one side: it may claim an effect that never happens, and
// must not miss one that does. Both branches of a condition happen, a loop's
// body happens, a pattern matches. A word whose value is not certain is unknown,
// a program without a row does something unknown, and a line that does not parse
// or exceeds a bound is one unknown effect as a whole, never the part that was
// read.
//
// What belongs to running a program is no effect of its own: its libraries, settings
// and caches, the objects and the index of git with the files that it tracks, the
// hooks and filters that its settings name, and the programs that it is made of, as
// gzip below tar. own.tbl has it, and [OwnOf] gives it for what is executed. Package
// shelltrace holds both tables against what programs do.
//
// The package is pure: the same line and [Env] give the same [Analysis].
package shell
