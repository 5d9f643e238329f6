// Package importtest checks, as a test, the direction of imports that
// ARCHITECTURE.md draws: words at the bottom, then the pure core, the domain,
// the gate, the doors, and the command line as the only place that knows all.
//
// It parses the imports of every Go file of the module itself. A test that
// asked `go list` would stay green from the test cache after a bad import was
// added, because the cache does not see what another process reads.
//
// rules.go holds the rules for our own packages, allow.txt those for modules
// of others. A package without a rule is an error, so a new one starts with
// the question where it belongs.
package importtest
