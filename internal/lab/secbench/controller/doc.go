// Package controller leads a model through one run of the security bench: it asks,
// reads what the model proposes, has every proposal decided, runs what is allowed,
// and keeps to the budget. It writes channel 1 of the trace.
//
// In the strict mode a proposal that cannot be read ends the turn. In the repair
// mode it is normalised first, in few steps that guess nothing ([repair]); what is
// judged is then what was made of it, and both texts are kept. The difference
// between the modes is what a model loses at the interface.
//
// An object in prose with a member name, tool or function is a proposal that cannot be
// read, wherever it stands; a tool's name before a bracket is one outside of quotes.
// What else was asked for in the turn in which the budget ended was asked for before
// the model was told, so none of it evades a limit.
package controller
