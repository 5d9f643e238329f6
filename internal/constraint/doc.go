// Package constraint decides what a contract says of one argument of a call:
// whether a constraint certainly holds of it, in a clause that permits, and
// whether it may hold of any part of it, in a clause that forbids.
//
// [New] compiles the constraints that stand beside one argument into a [Set].
// [Set.Permits] and [Set.Forbids] are the two sides, and each errs towards
// refusing the call: what is absent never holds, what is of another type, cannot
// be parsed or is not known does not permit and does forbid (contract language,
// section 2, rules 2 and 10). A value that no kind can judge is never skipped.
//
// What a constraint must know of the world (where a path leads once links are
// followed, whether a value was stated in the session, what a command would do
// and to which files) it asks as a [Question] and reads from [Answers]; a missing
// answer means that it is not known. So the package is pure: it reads no clock,
// file, network or environment, and the same call with the same answers gives the
// same result.
//
// A [Condition] is what a clause says of something else than one argument: of
// the session, of what the user asked for, or of anything in an expression. It
// has the same two sides.
//
// A [Schema] is the other check on arguments: whether they are valid against the
// input schema of the pinned tool and closed by it (rule 4).
package constraint
