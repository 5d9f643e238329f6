// Package run asks judges about the items of a data set: judges x policies x forms
// x epochs x instances, several at a time, each answer recorded as it comes.
//
// A [Judge] sees what is [Visible] of an item and the text of a policy: no label, no
// role, no id of a pair. [Plan] says what there is to ask, and [Run] asks what the
// [Journal] does not have yet. Each answer is a row of package result, written as a
// whole before it counts as asked; a run that was killed goes on where its journal
// ends, asks nothing twice, and comes to the same rows. What a run is made of
// (data, judges, policies, forms, epochs) stands beside the journal, and a run
// with anything else of these is another one and refused there.
package run
