// Package evidence is the append-only record of what was decided and what came
// of it: sealed envelopes, each linked to the one before by SHA-256, and the
// verifier that reads them back. docs/spec/evidence.md fixes the format.
//
// The hash of an envelope covers the digest of its body and not the body
// itself, so that retention can later drop bodies without breaking the chain,
// and so that the hash can serve as the leaf of a Merkle tree (RFC 9162).
//
// The package also redacts: what must not be kept is replaced before anything
// is written.
package evidence
