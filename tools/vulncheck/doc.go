// Vulncheck looks for known vulnerabilities in what licet's code can reach,
// without asking a server: it builds govulncheck's database from a pinned
// version of the Go vulnerability data, which is itself a Go module.
//
//	go run ./tools/vulncheck .ci/vuln-exceptions
//
// Only vulnerable symbols that are reachable from our packages (tests left
// out) are findings. govulncheck also reports modules and packages that are
// merely required; those are counted in the output and fail nothing, because
// nothing of ours can run them.
//
// A finding that stays needs a line in the exceptions file. A finding without
// a line fails, and so does a line without a finding: an excuse must not
// outlive its reason.
package main
