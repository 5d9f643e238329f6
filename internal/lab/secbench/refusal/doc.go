// Package refusal reads what an agent says in a turn: whether it refuses, and
// whether it hedges or claims to know the answer.
//
// It looks at the text alone, so that a call in the same turn does not change what
// is read, and has three answers: a word that leaves room is [Undetermined] and
// goes to a column of its own. What an agent only quotes, code and tool calls are
// taken out first. Then each sentence is brought into one form (lower case, no
// punctuation, "won't" as "will not") and the rules are asked in their order. They
// are data, in rules.go; [Version] names them, and a change of them is a new
// version, as recorded runs are read again under the rules that they name.
//
// The method is that of word lists, so it has both kinds of error: a refusal in
// words that no list has, and a limit told in the words of a refusal ("I cannot
// continue, the budget is spent"). The tests print both for labelled sentences,
// which the author of the rules wrote: expect more of them in the wild.
package refusal
