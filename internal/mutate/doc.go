// Package mutate says how well the cases of a contract would notice that the
// contract was changed.
//
// [List] makes every mutant of a contract: a copy with one small change, nearly
// always one that permits more, such as a bound that is one higher or an entry
// of a list that is gone. [Run] plays the cases against each. A mutant that fails
// a case is killed; one that fails none survives, so somebody could make that
// change and nobody would know. A mutant of which [contract.Compare] or the
// input schema proves that no call can tell it from the contract is
// equivalent, and so is one for which a person recorded why ([Reasons]).
//
// For a survivor, [Run] looks for a story that would notice it, from the values
// at the very borders of what was changed, and keeps one only after both
// contracts were asked and answered differently.
//
// What is not changed, as no case could notice it: pins of catalogs (a contract
// with another one does not load), credentials, and what evidence redacts. They
// decide about no call.
package mutate
