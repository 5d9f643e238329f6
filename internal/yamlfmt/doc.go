// Package yamlfmt lays out the YAML files that people write for licet: one
// order of keys, two spaces of indentation, short collections in one line. What
// a text says does not change, and every comment is kept.
//
// [Format] works in three steps: comments.go finds the comments, which package
// yamlwalk does not keep; tree.go gives each to the entry that it stands beside;
// print.go writes the entries. The result is read again, and a text whose
// meaning or comments would change is refused instead.
//
// The package is pure: it opens no file.
package yamlfmt
