// Gomutate says how well the tests of a package would notice that its code was
// changed: it runs gremlins, a mutation testing tool for Go, file by file.
//
//	go run ./tools/gomutate -keep DIR -floor 85 internal/decide internal/shell
//
// A file takes minutes to hours, so what came of each is kept in DIR, under the
// digest of its package with its tests: an interrupted run goes on where it was,
// and a file is looked at again once anything in its package changes.
//
// The counts are those of gremlins. A mutant compiled and ran if it was killed
// or lived; of these the floor is a percentage. One in code that no test of the
// package runs is not tried: it is counted apart and listed with the survivors.
// Gremlins takes that from the coverage profile, in which the conditions of
// switch cases belong to no block, so it never tries those. One that timed out
// or did not compile says nothing; more than a quarter of them is a failure.
//
// The exit status is 1 if less than the floor is killed over all packages, if no
// mutant of one of them ran, or if gremlins failed.
package main
