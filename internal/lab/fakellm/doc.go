// Package fakellm is a server that answers like a model and is none: a script
// says what it answers. It speaks the four dialects of package llm and produces
// every failure that a model's API can give, so that a judge can be tested
// without a model, and without an outage.
//
// What it answers says nothing about any model. Every answer carries the header
// X-Licet-Scripted, by which package llm marks what came from here.
//
// The path of a request: [Script.Handler] -> readAsk (what is asked, in which dialect)
// -> the first rule that matches -> reply (the same for all dialects) ->
// dialects.go, which writes it as that API does.
package fakellm
