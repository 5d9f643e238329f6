// Package result is the file between judging and scoring: one row for each
// decision that a model was asked for, as a line of JSON.
//
// A [Row] names the item, the model, the policy and the epoch, and holds what was
// decided, before and after the checks, or why nothing was. Gold labels are not in
// it: they are in the data set alone, so that a row cannot carry its own score.
// [Read] is strict: a member that is not known, a word that is not of the list or
// a decision that stands twice refuses the file.
package result
