// Package expr checks and evaluates the expressions that stand beside `$when`
// in a contract: CEL, the Common Expression Language (cel.dev), over the call,
// its session, who asks and the time.
//
// An expression is type-checked by [Compile], and refused there if its cost
// cannot be bounded. What is not known of the world (session, user, time) makes
// a result unknown, unless the expression has the same result either way; so
// the caller can take the safe side. Numbers keep their exact value or are an
// error: CEL has 64 bits for each.
//
// The package is pure. That is why the functions that read a time in a named
// time zone are left out: they would read the zone data of the machine.
package expr
