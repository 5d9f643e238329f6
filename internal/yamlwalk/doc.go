// Package yamlwalk reads the files that people write for licet: contracts and
// case files. It refuses what two YAML readers could understand in two ways
// (YAML 1.1, YAML 1.2, programs that read either in their own way), and names
// every problem with file, line, column and the nearest known word.
//
// A [Reader] parses a text into a tree of [Node]s that know their place, and
// its methods check nodes against what a language expects: words, names,
// durations, numbers. A language walks the tree itself and reports to the same
// Reader, so that all problems of a text are found at once.
//
// The package is pure: it opens no file.
package yamlwalk
