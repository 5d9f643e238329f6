package sqlcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dialect names the database that a text is meant for. The zero Dialect is none,
// and nothing can be read in it.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgresql"
	SQLite     Dialect = "sqlite"
)

// Dialects returns the dialects that Read knows, sorted.
func Dialects() []Dialect { return []Dialect{PostgreSQL, SQLite} }

// Class is one kind of act. A statement may be of several: a SELECT with a
// deleting CTE is of [Select] and [Delete].
type Class string

// The classes.
const (
	Select      Class = "select" // reads and changes nothing
	Insert      Class = "insert"
	Update      Class = "update"
	Delete      Class = "delete"
	Merge       Class = "merge"
	Truncate    Class = "truncate"
	Create      Class = "create" // tables, views, indexes, sequences
	Alter       Class = "alter"
	Drop        Class = "drop"
	Grant       Class = "grant"
	Copy        Class = "copy"
	Lock        Class = "lock"        // also SELECT ... FOR UPDATE
	Transaction Class = "transaction" // begin, commit, savepoints
	Session     Class = "session"     // settings, cursors, prepared statements
	Maintain    Class = "maintain"    // vacuum, analyze, reindex
	Call        Class = "call"        // runs code that the text does not show
	Other       Class = "other"       // everything else
)

// Classes returns all classes, sorted.
func Classes() []Class {
	return []Class{
		Alter, Call, Copy, Create, Delete, Drop, Grant, Insert, Lock, Maintain,
		Merge, Other, Select, Session, Transaction, Truncate, Update,
	}
}

// opaque are the classes that may touch tables which the text does not name, or
// change what later names mean.
var opaque = []Class{Call, Grant, Maintain, Other, Session}

// Table is a table, view or other relation as a statement names it. Schema is
// "" where it is not written. Letter case is as the database compares it: folded
// for SQLite, for PostgreSQL folded where the name is not quoted.
type Table struct{ Schema, Name string }

// String returns the name as written in a contract.
func (t Table) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// Statement is what one statement would do.
type Statement struct {
	Classes []Class // at least one, sorted, each once
	Tables  []Table // all that it names, sorted, each once; no names of CTEs
	Opaque  bool    // it may touch other tables, too
	Why     string  // what makes it more than reading; "" if it only reads
}

// ReadOnly reports whether the statement certainly changes nothing.
func (s Statement) ReadOnly() bool { return len(s.Classes) == 1 && s.Classes[0] == Select }

// Unknown reports whether the statement may do anything at all.
func (s Statement) Unknown() bool {
	return slices.Contains(s.Classes, Call) || slices.Contains(s.Classes, Other)
}

// Bounds of a text. The scanner of PostgreSQL takes quadratic time for nested
// comments.
const (
	maxText     = 64 << 10 // bytes
	maxComments = 500      // openings of a block comment, wherever they stand
)

// Start makes the parser of a dialect ready, so that the first [Read] does not wait:
// that of PostgreSQL takes a second to start. A parser that cannot start is an error of
// each Read.
func Start(d Dialect) { _, _ = Read(d, "SELECT 1") }

// Read returns what each statement in text would do, at least one. Text in which
// the parser of the dialect finds an error, that is empty or out of bounds, is an
// error: nobody can say what it would do.
func Read(d Dialect, text string) ([]Statement, error) {
	switch {
	case len(text) > maxText:
		return nil, fmt.Errorf("more than %d bytes of SQL", maxText)
	case strings.Count(text, "/*") > maxComments:
		return nil, fmt.Errorf("more than %d comments", maxComments)
	case strings.ContainsRune(text, 0):
		return nil, fmt.Errorf("a NUL character, where some readers stop") // both databases take text up to it
	}
	var statements []Statement
	var err error
	switch d {
	case PostgreSQL:
		statements, err = readPostgres(text)
	case SQLite:
		statements, err = readSQLite(text)
	default:
		err = fmt.Errorf("unknown dialect %q", d)
	}
	if err == nil && len(statements) == 0 {
		err = fmt.Errorf("no statement")
	}
	return statements, err
}

// finding collects what one statement does. Walking its tree can only add.
type finding struct {
	classes map[Class]bool
	tables  map[Table]bool
	opaque  bool
	why     string
}

func newFinding() *finding {
	return &finding{classes: map[Class]bool{}, tables: map[Table]bool{}}
}

// act records a class, with what shows it; the first that is more than reading
// is kept to be told.
func (f *finding) act(c Class, why string) {
	f.classes[c] = true
	if slices.Contains(opaque, c) {
		f.opaque = true
	}
	if f.why == "" && c != Select {
		f.why = why
	}
}

// beyond records that other tables may be touched than those named, by a
// statement of some class that is more than reading.
func (f *finding) beyond(why string) {
	f.opaque = true
	if f.why == "" {
		f.why = why
	}
}

func (f *finding) table(schema, name string) { f.tables[Table{schema, name}] = true }

// statement returns what was found. A statement of no class would be covered by
// any list of them.
func (f *finding) statement() Statement {
	if len(f.classes) == 0 {
		f.act(Other, "does nothing that is known")
	}
	return Statement{
		Classes: slices.Sorted(maps.Keys(f.classes)),
		Tables: slices.SortedFunc(maps.Keys(f.tables), func(a, b Table) int {
			return strings.Compare(a.Schema+"."+a.Name, b.Schema+"."+b.Name)
		}),
		Opaque: f.opaque,
		Why:    f.why,
	}
}

// scope is the names of the CTEs that can be seen at a place, innermost first.
type scope struct {
	names map[string]bool
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.names[name] {
			return true
		}
	}
	return false
}
