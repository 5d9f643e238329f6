package constraint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/sqlcheck"
	"github.com/licet-dev/licet/internal/toolcall"
)

// sqlKind is `sql`: what statements do, and to which tables, as the parser of the
// database they are meant for takes them apart.
//
// In a never clause only what is written narrows: without tables it matches
// every table, without read_only or statements every statement. A permitting
// clause without these permits reading only.
type sqlKind struct {
	dialect  sqlcheck.Dialect
	readOnly bool
	classes  []sqlcheck.Class // nil if not written
	tables   []tablePattern   // nil if not written
	spec     toolcall.Value
}

// Members of sql.
const (
	sqlDialect    = "dialect"
	sqlReadOnly   = "read_only"
	sqlStatements = "statements"
	sqlTables     = "tables"
)

func newSQL(v toolcall.Value, _ Env) (kind, *SpecError) {
	if v.Kind() != toolcall.Object || v.Len() == 0 {
		return nil, refuse("expected {dialect: postgresql, read_only: true}, with statements or tables, got %s", describe(v))
	}
	s := &sqlKind{}
	if err := s.readDialect(v.Get(sqlDialect)); err != nil {
		return nil, err.under(member(sqlDialect))
	}
	var spec []toolcall.Member
	for i := range v.Len() {
		word, operand := v.Member(i)
		canonical, err := s.read(word, operand)
		if err != nil {
			return nil, err.under(member(word))
		}
		spec = append(spec, toolcall.Member{Name: word, Value: canonical})
	}
	if v.Len() == 1 {
		return nil, refuse("expected read_only, statements or tables beside the dialect")
	}
	if s.readOnly && s.classes != nil {
		return nil, refuse("read_only and statements exclude one another").under(member(sqlReadOnly))
	}
	s.spec = toolcall.ObjectOf(spec...)
	return s, nil
}

func (s *sqlKind) readDialect(v toolcall.Value) *SpecError {
	s.dialect = sqlcheck.Dialect(v.Text())
	if v.Kind() != toolcall.String {
		return refuse("expected the dialect, postgresql or sqlite")
	}
	if !slices.Contains(sqlcheck.Dialects(), s.dialect) {
		return unknown("dialect", v.Text(), textsOf(sqlcheck.Dialects())...)
	}
	return nil
}

// read reads one member and returns it in its one spelling.
func (s *sqlKind) read(word string, v toolcall.Value) (toolcall.Value, *SpecError) {
	var entry func(toolcall.Value) (string, *SpecError)
	switch word {
	case sqlDialect:
		return v, nil
	case sqlReadOnly:
		if s.readOnly = v.Bool(); !s.readOnly {
			return v, refuse("expected true, got %s", cut(v.Canonical()))
		}
		return v, nil
	case sqlStatements:
		entry = s.readClass
	case sqlTables:
		entry = s.readTable
	default:
		return v, unknown("member", word, sqlDialect, sqlReadOnly, sqlStatements, sqlTables)
	}
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return v, refuse("expected a list of at least one entry, got %s", describe(v))
	}
	var canonical []toolcall.Value
	for i := range v.Len() {
		text, err := entry(v.Elem(i))
		if err != nil {
			return v, err.under(element(i))
		}
		canonical = append(canonical, toolcall.StringOf(text))
	}
	return toolcall.ArrayOf(sorted(canonical)...), nil
}

func (s *sqlKind) readClass(v toolcall.Value) (string, *SpecError) {
	c := sqlcheck.Class(v.Text())
	if !slices.Contains(sqlcheck.Classes(), c) {
		return "", unknown("class of statements", v.Text(), textsOf(sqlcheck.Classes())...)
	}
	s.classes = append(s.classes, c)
	return v.Text(), nil
}

func (s *sqlKind) readTable(v toolcall.Value) (string, *SpecError) {
	p, ok := parseTable(v.Text(), s.dialect)
	if !ok {
		return "", refuse("expected a table such as orders, public.orders, public.* or *.*, got %s", cut(v.Canonical()))
	}
	s.tables = append(s.tables, p)
	return p.String(), nil
}

func textsOf[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = string(t)
	}
	return texts
}

func (s *sqlKind) name() string { return "sql" }

func (s *sqlKind) unmet(v toolcall.Value, _ Answers) string { return s.first(v, s.unmetBy) }

// first returns what by says of the first statement of v that it says anything
// of, or why v is not read.
func (s *sqlKind) first(v toolcall.Value, by func(sqlcheck.Statement) string) string {
	if v.Kind() != toolcall.String {
		return "is no text, so no SQL"
	}
	statements, err := sqlcheck.Read(s.dialect, v.Text())
	if err != nil {
		return cannotRead(s.dialect, err)
	}
	for _, st := range statements {
		if why := by(st); why != "" {
			return why
		}
	}
	return ""
}

func cannotRead(d sqlcheck.Dialect, err error) string {
	return fmt.Sprintf("is no text that can be read as %s: %s", d, cut(err.Error()))
}

// unmetBy says why one statement is not covered, "" if it is.
func (s *sqlKind) unmetBy(st sqlcheck.Statement) string {
	if s.classes == nil && !st.ReadOnly() {
		return st.Why + ", so it is not read only"
	}
	for _, c := range st.Classes {
		if s.classes != nil && !slices.Contains(s.classes, c) {
			return fmt.Sprintf("has a statement of the class %s", c)
		}
	}
	if s.tables == nil {
		return ""
	}
	if st.Opaque {
		return st.Why + ", so it may touch any table"
	}
	for _, t := range st.Tables {
		if !slices.ContainsFunc(s.tables, func(p tablePattern) bool { return p.covers(t) }) {
			return fmt.Sprintf("names the table %s, which is not in %s", cut(t.String()), s.tableList())
		}
	}
	return ""
}

func (s *sqlKind) met(v toolcall.Value, _ Answers) string {
	return s.first(v, func(st sqlcheck.Statement) string {
		if s.metBy(st) {
			return s.metWhy(st)
		}
		return ""
	})
}

// metBy reports whether one statement matches, or may match.
func (s *sqlKind) metBy(st sqlcheck.Statement) bool {
	if st.Unknown() {
		return true
	}
	if s.readOnly && !st.ReadOnly() {
		return false
	}
	if s.classes != nil && !slices.ContainsFunc(st.Classes, func(c sqlcheck.Class) bool { return slices.Contains(s.classes, c) }) {
		return false
	}
	return s.tables == nil || st.Opaque || slices.ContainsFunc(st.Tables, func(t sqlcheck.Table) bool {
		return slices.ContainsFunc(s.tables, func(p tablePattern) bool { return p.resembles(t) })
	})
}

func (s *sqlKind) metWhy(st sqlcheck.Statement) string {
	switch {
	case st.Unknown() || st.Opaque && s.tables != nil:
		return st.Why + ", which may do what is forbidden"
	case s.tables != nil:
		return "names a table in " + s.tableList()
	}
	return "has a statement of the class " + strings.Join(textsOf(st.Classes), ", ")
}

func (s *sqlKind) tableList() string {
	names := make([]string, len(s.tables))
	for i, p := range s.tables {
		names[i] = p.String()
	}
	return cut(strings.Join(names, ", "))
}

func (s *sqlKind) neverUsable() *SpecError   { return nil }
func (s *sqlKind) canonical() toolcall.Value { return s.spec }

// tablePattern is an entry of `tables`: a table, or with "*" in the place of a
// part, all of them. Without a schema it stands for names without one.
type tablePattern struct{ schema, table string }

// parseTable reads an entry. Letter case counts for PostgreSQL, which folds names
// that are not quoted to lower case, and does not for SQLite.
func parseTable(text string, d sqlcheck.Dialect) (tablePattern, bool) {
	if d == sqlcheck.SQLite {
		text = strings.ToLower(text)
	}
	schema, table, qualified := strings.Cut(text, ".")
	if !qualified {
		schema, table = "", text
	}
	part := func(s string) bool { return s == "*" || s != "" && !strings.ContainsAny(s, "*.\"") }
	return tablePattern{schema, table}, part(table) && (!qualified || part(schema))
}

func (p tablePattern) String() string {
	return sqlcheck.Table{Schema: p.schema, Name: p.table}.String()
}

// covers reports whether t is certainly meant. A name without a schema is looked
// up where the database says, so only an entry without one covers it.
func (p tablePattern) covers(t sqlcheck.Table) bool {
	return (p.schema == "") == (t.Schema == "") &&
		(p.schema == t.Schema || p.schema == "*") && (p.table == t.Name || p.table == "*")
}

// resembles reports whether t may be meant: letter case does not count, and a
// name without a schema may be of any.
func (p tablePattern) resembles(t sqlcheck.Table) bool {
	return (p.schema == "" || t.Schema == "" || p.schema == "*" || loose(p.schema) == loose(t.Schema)) &&
		(p.table == "*" || loose(p.table) == loose(t.Name))
}

// within reports whether each table that p covers is one that q covers, and each
// that p may mean one that q may mean.
func (p tablePattern) within(q tablePattern) bool {
	return (p.schema == q.schema || q.schema == "*" && p.schema != "") && (p.table == q.table || q.table == "*")
}

// permitsWithin: without tables every table is permitted, and without classes
// reading only.
func (s *sqlKind) permitsWithin(t *sqlKind) bool {
	return s.dialect == t.dialect && subset(s.permitted(), t.permitted(), same) &&
		(t.tables == nil || s.tables != nil && subset(s.tables, t.tables, tablePattern.within))
}

// permitted are the classes that a permitting clause lets through.
func (s *sqlKind) permitted() []sqlcheck.Class {
	if s.classes == nil {
		return []sqlcheck.Class{sqlcheck.Select}
	}
	return s.classes
}

func (s *sqlKind) forbidsWithin(t *sqlKind) bool {
	classes := t.classes == nil || s.classes != nil && subset(s.classes, t.classes, same)
	return s.dialect == t.dialect && classes && (!t.readOnly || s.readOnly) &&
		(t.tables == nil || s.tables != nil && subset(s.tables, t.tables, tablePattern.within))
}

// ReadsSQL reports whether the set has a `sql` constraint on text of a dialect.
func (s *Set) ReadsSQL(d sqlcheck.Dialect) bool {
	return slices.ContainsFunc(s.kinds, func(k kind) bool {
		sql, is := k.(*sqlKind)
		return is && sql.dialect == d
	})
}
