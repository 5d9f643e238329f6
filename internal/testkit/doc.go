// Package testkit holds what tests of several packages share: programs of
// other makers to talk to, and the switches that say which tests may be
// skipped.
//
// A test that needs something a machine may lack is skipped there with the
// reason. On a machine where it must not be missing, a switch in the
// environment (LICET_REQUIRE_NODE=1) turns the same skip into a failure, so
// that a run cannot be green because it did not look.
package testkit
