// Package redact makes the public form of what a run left behind, and looks for what
// must not be in it.
//
// A fixture has planted texts that stand for what a real one would have to hide: a
// fake key (rule A), people (B), hosts (C). Beside them an export hides the inputs
// that set off a toy (D) and absolute paths (E). The rules run in this order over
// every text. Keys and inputs are found in whatever simple form a program or a model
// gives them, and in up to three of these one within another: see [read].
// [Redactor] replaces what it finds, by words that tell one value from another and no
// more; a scan of [Finder] finds what a redactor should have replaced, and must find
// nothing in an export.
//
// This is not what package evidence redacts: that one looks for the secrets of others
// by their shape, and would change the code of a fixture, where a name like
// "password" means nothing.
package redact
