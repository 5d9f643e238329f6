// Package agentdojo measures contracts on AgentDojo v1.2 (data/README.md says where
// the data come from and under which licence).
//
// [Arms] are contracts: one with arguments and provenance, which has all suites as
// servers, and what it is compared with: a tool whose name says that it reads is
// allowed and every other needs a person, everything is allowed, the user's turns
// are left out. [Measure] replays the ground truth under all of them, attackers who
// know the contract, and recorded runs of models, and makes a report of it.
package agentdojo
