// Package suggest says what a contract could say instead, after the answers that it
// gave to recorded calls: clauses that allowed nothing, bounds that nothing came
// near, and values that people would have been asked about again and again.
//
// Each [Suggestion] has the calls behind it and the text of the contract with that
// one change. What it says of the direction is proven or checked with
// contract.Compare: a change that is called narrower lets no call get a wider
// verdict. A value that was held often is one that an attacker can bring about as
// well: to widen is for a person who has read the calls.
package suggest
