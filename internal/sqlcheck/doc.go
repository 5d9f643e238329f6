// Package sqlcheck says what SQL statements would do, from their text alone:
// what classes of act they are, which tables they name, and whether they do
// something that no text tells.
//
// [Read] takes a text apart with the parser of the database it is meant for:
// PostgreSQL's own scanner and grammar (libpg_query, compiled to WebAssembly),
// and for SQLite a parser that follows its grammar rule by rule. What that
// parser does not take is an error, and so is a text beyond the bounds.
//
// Everything is refused unless known: a statement, a function or a pragma that
// stands in no list here counts as one that may do anything. A text cannot show
// what the database itself has defined: views, triggers, rules, and functions
// behind operators, casts, defaults and policies.
//
// The result depends on dialect and text only. The package is not pure in the
// sense of the project because the WebAssembly runtime is not: it is loaded when
// the first PostgreSQL text is read, which takes about a second of processor
// time, and not before. See docs/decisions/0003-sql-parsers.md.
package sqlcheck
