// Package ledger is the unit of work of every store: one transaction that
// appends one evidence record and changes what that record speaks of, limits
// used up, tickets opened, answered and used, results observed.
//
// All of an Entry is written, or none of it. What somebody else took first is
// found inside the transaction and becomes part of the record, so there is no
// moment between looking and taking (design, section 3, stop 6).
package ledger
