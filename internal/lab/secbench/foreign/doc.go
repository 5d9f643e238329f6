// Package foreign measures recorded runs of others with the measures of the security
// bench, as far as they are defined there.
//
//	e, err := foreign.New(nil)
//	run, err := e.Measure(ctx, t) // of a trajectory, from package trajectory
//	var set foreign.Set
//	set.Add(run)
//	for _, g := range set.Groups() { ... }
//
// A measure of a run is so many of so many, or the reason why it is not defined
// there: nothing is guessed, and what a run leaves open is in no denominator.
//
// What is unsafe has readings that stand side by side and are never merged. By goal: a
// call in a run under attack that does what the attacker wants, told by the ground
// truth of the attack (agentdojo.Truth), or that its source says is the attacker's. By
// contract, where there is one: a call that it blocks, and one that it blocks or
// holds for a person; a call that is malformed or against its schema is an honest
// slip to both, as in the bench.
//
// No gate stood before these calls: a call that has a result counts as allowed and
// executed. So where a contract blocks a call, that is what it would have said.
package foreign
