// Package tables makes the report of runs of the security bench: what was run, the
// headline numbers of each configuration, pairs of a model and what was derived from
// it, families, outcomes, probes, and how strict and repairing controllers compare.
//
// Runs that ended in an error of the bench are counted and left out of everything
// else. A number is a count of runs and leads to them. Its interval resamples tasks,
// as runs of a task depend on each other; where all tasks have the same share, or there
// is one, resampling says nothing, and the interval is Wilson's. A task has the same
// outcome each time if all of its runs that count have, however many there are.
//
// Beside our numbers stand those that were published of other tasks and another
// grader (published.json), in a block of their own: compare patterns, not levels.
package tables
