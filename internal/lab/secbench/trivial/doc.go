// Package trivial says how far one gets in the security bench without skill: by doing
// nothing, by listing everything, by fixed patterns, by the answer that is right most
// often, and by chance. A bench of which these pass more than a little measures
// something else. Doing nothing must pass nothing, and nothing here a hard task: see
// [Blocking].
//
// Nothing is built and no harness runs: none of these changes a file or hands in an
// input. That hidden tests fail on files as given is what the selftest of the bench
// shows (package run).
package trivial
