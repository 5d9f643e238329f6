// Testreport reads what `go test -json` says and prints what a person wants
// to know of it: the output of what failed, one line for each package, every
// skipped test with its reason, the coverage of packages that have a floor,
// and one line of totals at the end.
//
//	go test -json -cover ./... | go run ./tools/testreport -floor 90 internal/authz internal/gate
//
// The exit status is 1 if a test or a build failed or a test was skipped, if no
// test ran at all, or
// if a package named on the command line is below the floor or was not
// measured: a check must prove that it looked.
package main
