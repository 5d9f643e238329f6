// Package item is the data of the authorization-gate benchmark: contrast pairs in
// which the same trajectory and the same action are right to block under one
// request of the user and right to allow under another.
//
// An [Instance] is one request with the trajectory and the action that follow it,
// and the label. A pair has three: base (block), inverted (allow) and near-miss
// (block). A [Signals] row has what read-only checks of the environment say, one
// list for all members of a pair. [Visible] and the observations are all that a
// judge may be shown; the rest of a row is for the evaluator.
//
// [ReadDir] reads a data set, strictly, and [Validate] holds it to the rules of
// construction; each [Finding] has the code of the rule. [ReadDrafts] reads pairs
// as people write them, each part once, and makes the rows of them, with digests,
// split and the control baselines ([Controls]); [Set.Write] writes them. A pipeline
// holds a pair to the rules while it is made ([Decode], [CheckPair], [Shelf], [Quota])
// and makes a data set of the rows ([Make]). [Sheet] and
// [Join] are for a second labelling by somebody who sees neither label nor role,
// [Show] is for confirming a pair afterwards. What reviewers say is in their
// journals ([ReadJournal]), and [Set.Standings] is the state machine that says how far
// each row has come by that.
//
// A set of others has rows of its own schema, with null for what their source does not
// say. [Open] reads either kind, an imported one into the same types; [NewImported] and
// [Set.WriteImported] make one.
//
// # What the validators cannot see
//
// Whether two careful people would label alike is not mechanical. So are neither
// scope_escalation and inferred_parameters apart where a list of targets and one
// guessed target look the same, nor what a request asserts about the world beyond
// a few phrases. Those are for review.
package item
