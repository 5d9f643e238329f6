// Package baseline asks how much of licet other ways to write rules can do: it
// puts the cases of a corpus to licet and to rules by tool name (plain Go, Rego)
// and about arguments (Rego, Cedar, CEL), and counts.
//
// The rules are translated from the contracts of the cases, so that every
// contract has them without handwork. policy.go reads a contract into what all
// translations share; rego.go, cedar.go, cel.go and rbac.go each write it in
// one language and hold the engine; texts.go and like.go have what they say of
// texts. notes.go says for each word of the contract language how much each
// language can say.
//
// A contract is translated twice, with what cannot be said left out and with it
// refusing. Where both give one answer that answer counts; else the case turns on
// what cannot be said, and is not expressible. docs/decisions/0004 says why.
package baseline
