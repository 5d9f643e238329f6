// Package ngram says how much two texts have in common: the Jaccard similarity of
// their sets of word 3-grams, in which plain literals (numbers, accounts, paths,
// URLs) count by their class and not by their value. Cases of corpora and pairs of
// the authorization benchmark that differ in less than a threshold count as one.
package ngram
