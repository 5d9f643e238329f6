// Bench compares the decision of licet with those of other policy engines, on
// the same policy and the same requests, in one run, each in a process of its own. What it prints are
// ratios: the machine, its load and the compiler stand on both sides of them.
//
// workload.go says what is asked: tools with bounds on six arguments, and calls
// of about a kilobyte. licet.go, cedar.go and opa.go each say that policy in
// the words of one engine, and decide a call from the bytes of its message, the
// way a program that uses the engine would. Engines take turns in rounds, so
// that other load on the machine meets all of them, and nothing is printed
// unless all gave the expected answer to every call before.
//
// licet does more in its time than the peers do: it refuses what two readers
// could read in two ways, checks the arguments against the tool's schema, and
// makes the digest that approvals and records are bound to.
//
// The peers have a module of their own, so that the product depends on none of
// them. After a change of the product's go.mod, run `go mod tidy` here.
package main
