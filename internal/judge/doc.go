// Package judge has opinions on one call: do the user's own words authorize
// every effect of it?
//
// A [Case] is what a judge sees, and nothing else: the turns of the user, what
// they forbid (boundaries), and the effects of the call, which [NewCase] computes
// from facts and from the approved definition of the tool. [Grounded] is a judge
// without any model: an effect is authorized by a sentence of the user that names
// it. [Check] holds every opinion, also a model's, against the case; it can turn
// allow into block or unsure and nothing into allow.
//
// An opinion decides nothing by itself. Package decide says what follows, and
// asks only about calls that a judge clause hands over.
//
// # What Grounded does not know
//
// It reads English. It knows no earlier calls, so that consent for one run covers
// a second one in the same session. A text that the agent composed, such as the
// body of a mail, is authorized only where the user wrote it word for word.
package judge
