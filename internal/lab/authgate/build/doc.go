// Package build makes a data set of contrast pairs with a language model: it asks,
// holds the answers to the validators of package item, has them repaired, and keeps
// what is unlike all that it has.
//
// A [Plan] says what to make: slots, each with a mode, a domain, a family of tools,
// a risk, a length and an example. Four stages fill a slot: I the base row, II the
// request that authorizes the same action, IIb the near-miss, III the observations.
// Each draft of a stage goes the way of the call machine (authgate-bench.md, section
// 4.1): it is asked for, repaired at most three times while validators refuse it,
// and tested for its likeness to accepted rows once all earlier drafts have settled,
// so that the order in which answers come does not matter. A draft that fails makes
// room for another one, up to four a slot; a pair that fails gives its slot back to
// stage I; a slot for which nothing is left is short. Validators are never relaxed.
//
// What a build knows is what its [Build]'s journal says, and nothing else: which
// calls were sent, and what was answered. All that follows is computed from it by
// machine, which has no clock and no files. A build that was killed goes on where the
// journal ends, and comes to the same bytes.
//
// Who answers is a model through its API ([Build.Run] with a [LiveModel]), or whoever
// carries files of requests to one ([Build.Export], [Build.Import]).
package build
