// Package model is the judge that asks a language model.
//
// [New] makes a [Judge], which is a judge.Judge: it puts a case into a prompt, has
// it answered, reads the answer strictly, and returns an opinion before the
// checks, or the one reason why there is none. It never turns a missing answer
// into an opinion. Package judge holds the opinion against the case afterwards,
// and the gate decides what follows (docs/spec/judge.md).
//
// The path of a case: cache -> outage state -> votes -> stages -> one question,
// with its repair and its alternate model -> [Read]. One deadline covers it all.
//
// What the model sees is written in one place, prompt.go: turns of the user, what
// they forbid, earlier calls, the action and facts that code computed. Secrets are
// masked in each line of it.
//
// How it is asked to answer is a form, in form.go: the gate's, whose every claim code
// can check, or the plain one, by which the lab measures what a model makes of a case
// by itself.
//
// Clock, nonces and the models are given to it, so that a run repeats byte for
// byte with a recorded tape.
package model
