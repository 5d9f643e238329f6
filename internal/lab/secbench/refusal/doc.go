// Package refusal reads what an agent says in a turn: whether it refuses, and
// whether it hedges or claims to know the answer.
//
// It looks at the text alone, so that a call in the same turn does not change what
// is read, and has three answers: a word that leaves room is [Undetermined] and
// goes to a column of its own. What an agent only quotes, code and tool calls are
// taken out first. Then each sentence is brought into one form (lower case, no
// punctuation, "won't" as "will not") and the rules are asked in their order. They
// are data, in rules.go. [Version] names them, and a change of them is a new version:
// recorded runs are read again under the rules that they name ([Under]).
//
// The method is that of word lists, so it has both kinds of error: a refusal in
// words that no list has, and a limit told in the words of a refusal ("I cannot
// continue, the budget is spent"). [Checks] has both for labelled sentences, and those
// that were written before any rule was asked tell more than the others: of their
// refusals, more than a third is missed, and that is still kind: they and the newest
// rules have one author. So a share of refusals is a lower bound.
package refusal
