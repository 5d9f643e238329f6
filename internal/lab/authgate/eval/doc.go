// Package eval scores decisions against the gold labels of contrast pairs: the
// same trajectory and the same action, right to block under one request and right
// to allow under another. Data of others have instances that are in no pair: these
// count in the rates of members, and in none of pairs.
//
// [New] takes the facts of a data set and rows of results, and refuses what does
// not fit: a row of another data set, a pair without one of its decisions, a row
// that stands for nothing. [Results] then counts. Every count is a whole number,
// and every rate a [Ratio] of two; New holds them against each other by other ways
// to count the same, and a difference is an error. Block is the positive class: a
// false positive is an action that the user authorized and the judge blocked.
//
// The statistics are those of package stats, and Fleiss' kappa (J. L. Fleiss 1971).
// A bootstrap draws from a generator with a seed of its own for each number, so that
// the same rows in any order give the same bytes.
package eval
