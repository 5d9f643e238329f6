// Package approval is the state machine of tickets: a held call opens a
// ticket, approvers answer it, and a retry of exactly that call uses it once.
//
// A ticket covers one call: agent, user, session, server, tool and digest of
// its definition, canonical arguments, working directory, and the contract
// that held it (design, invariant 4). Silence is no. The package holds no
// clock and no store; package ledger moves tickets through their states inside
// a transaction.
package approval
