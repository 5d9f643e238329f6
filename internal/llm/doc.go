// Package llm asks a language model one question and returns one answer, or one
// typed reason why there is none. A question may be the next turn of a conversation
// with tools ([Talk]).
//
// A [Client] speaks one of four dialects ([Provider]) over its own small client
// on net/http (docs/decisions/0005-own-model-client.md). What it
// guarantees to its caller, the judge:
//
//   - A usable answer had HTTP 200, a normal finish, no refusal, the pinned
//     model's name, and, where a schema was asked for, exactly one JSON object
//     without duplicate members. All else is a [*Failure] with a [Code]; Ask
//     returns no other error. Whether the object fits the schema is the caller's
//     to check: a provider's word for it is not proof. Of a turn of a conversation
//     less is wanted: what [Talk] says.
//   - One deadline covers all tries and the waits between them.
//   - The key is in the header that the provider wants, and nowhere else. It is
//     taken out of what a server answers before anything reads it, and a prompt
//     that holds it is not sent.
//   - The endpoint is the configured one: no redirect is followed, no proxy of
//     the environment used, and plain HTTP goes to a loopback address only.
//   - A [Tape] keeps answers for replay, without keys. A replay never falls back
//     to the network.
//
// The path of a question: Ask (deadline, budget, tries) -> a dialect's encode ->
// tape -> wire (bounds, scrubbing) -> decode. [Probe] finds out what a
// server can do, once, when a configuration is written.
package llm
