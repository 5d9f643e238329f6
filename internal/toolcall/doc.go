// Package toolcall turns the bytes of one message into the call that is
// judged, and gives that call its digest.
//
// What was judged must be what runs, so the bytes are read once, strictly:
// [Parse] and [ParseMessage] refuse every text that two readers could
// understand in two ways (duplicate members, members that differ from a known
// one only in letter case, invalid UTF-8, lone surrogates, data after the
// value) and every text over its [Bounds]. Each refusal is a [*SyntaxError]
// with its position.
//
// Numbers stay exact decimals, never float64, so that 9007199254740992 and
// 9007199254740993 are two values with two digests. The canonical form is that
// of RFC 8785, except that a number which RFC 8785 would change keeps all its
// digits; docs/decisions/0001-exact-numbers.md says why.
//
// A [Path] addresses values inside the arguments, as contracts write it. A
// [Call] is what is judged; its [Digest] binds approvals and records to it.
//
// The package is pure: it reads no clock, file, network or environment.
package toolcall
