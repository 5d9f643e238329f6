// Gomutate says how well the tests of a package would notice that its code was
// changed: it runs gremlins, a mutation testing tool for Go, file by file.
//
//	go run ./tools/gomutate -keep DIR -floor 85 internal/decide internal/shell
//
// A file takes minutes to hours, so what came of each is kept in DIR, under the
// digest of its package with its tests: an interrupted run goes on where it was,
// and a file is looked at again once anything in its package changes.
//
// The counts are those of gremlins: a mutant compiled and ran if it was killed
// or lived; one in a line that no test of the package runs was not even tried,
// and counts as one that lived. One that timed out or did not
// compile does not count; more than a quarter of them is a failure.
// Every survivor is listed. The exit status is 1 if less than the floor is
// killed over all packages, if there was no mutant in one of them, or gremlins
// failed.
package main
