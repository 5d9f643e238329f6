// Package adapter has models play runs of the security bench: configured ones, asked
// over the APIs of package llm.
//
// [Parse] reads a file of models, and [Config.Player] makes one of them a player. Its
// way: a request of the controller becomes a conversation (talk.go), the client of
// package llm asks with its bounds, deadlines and retries, and what comes is put as an
// answer. What the model does is in the answer, whatever it is: a refusal, a cut text,
// a call that cannot be read, words that are no text, more than a turn can be, a
// conversation that outgrows the model's window. What anything else does (server,
// network, file) is an error, for which no agent is blamed.
//
// An answer names the request that it answers by its hash, so that a replay which
// would ask something else is seen.
package adapter
