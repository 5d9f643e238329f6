package sqlcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/parser"
)

// readSQLite reads a text as SQLite does.
func readSQLite(text string) ([]Statement, error) {
	list, err := parser.ParseString(text)
	if err != nil {
		return nil, fmt.Errorf("SQLite does not take it: %w", err)
	}
	statements := make([]Statement, len(list))
	for i, s := range list {
		w := liteWalk{newFinding()}
		w.walk(s)
		statements[i] = w.statement()
	}
	return statements, nil
}

// liteWalk goes through the tree of one SQLite statement.
type liteWalk struct{ *finding }

// lower folds letter case as SQLite compares names: ASCII only.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// walk records what kind of statement s is, and walks what it holds.
func (w liteWalk) walk(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.SelectStmt:
		w.act(Select, "")
	case *ast.InsertStmt:
		w.insert(s)
	case *ast.UpdateStmt:
		w.act(Update, "updates a table")
	case *ast.DeleteStmt:
		w.act(Delete, "deletes rows")
	case *ast.ExplainStmt:
		w.explain(s.Stmt)
		return
	case *ast.PragmaStmt:
		w.pragma(s)
		return
	case *ast.CreateTableStmt, *ast.CreateViewStmt, *ast.CreateIndexStmt:
		w.act(Create, "creates something")
	case *ast.CreateTriggerStmt:
		w.act(Create, "creates a trigger")
		w.beyond("creates a trigger")
	case *ast.AlterTableStmt:
		w.act(Alter, "alters a table")
		if s.NewName != nil && s.Action == ast.AlterRenameTable {
			w.table("", lower(s.NewName.Name))
		}
	case *ast.DropTableStmt, *ast.DropViewStmt, *ast.DropIndexStmt, *ast.DropTriggerStmt:
		w.act(Drop, "drops something")
	case *ast.BeginStmt, *ast.CommitStmt, *ast.RollbackStmt, *ast.SavepointStmt, *ast.ReleaseStmt:
		w.act(Transaction, "begins or ends a transaction")
		return
	case *ast.VacuumStmt, *ast.AnalyzeStmt, *ast.ReindexStmt:
		w.act(Maintain, "rewrites or analyzes the database")
	case *ast.AttachStmt:
		w.act(Other, "attaches a file")
	default:
		w.act(Other, "is a statement that is not known here")
	}
	w.node(s, nil)
}

func (w liteWalk) insert(s *ast.InsertStmt) {
	w.act(Insert, "inserts rows")
	if s.Replace || s.OrConflict == ast.ConflictReplace {
		w.act(Delete, "")
	}
	for _, u := range s.Upserts {
		if !u.DoNothing {
			w.act(Update, "")
		}
	}
}

// explain: EXPLAIN runs nothing that a statement would do on rows. Others act
// while they are prepared (PRAGMA does), so they count as what they are.
func (w liteWalk) explain(s ast.Stmt) {
	switch s.(type) {
	case *ast.SelectStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		w.act(Select, "")
		w.node(s, nil)
	default:
		w.walk(s)
	}
}

// pragma: some only tell something, some do so if no value is given, some act
// in any case.
func (w liteWalk) pragma(s *ast.PragmaStmt) {
	name := lower(s.Name.Name.Name)
	switch {
	case slices.Contains(litePragmasAbout, name):
		w.act(Select, "")
		if s.HasValue {
			w.table("", lower(strings.Trim(s.Value, "'\"`[]")))
		}
	case slices.Contains(litePragmas, name) && !s.HasValue:
		w.act(Select, "")
	default:
		w.act(Other, fmt.Sprintf("has the pragma %q, which may set something", name))
	}
}

// tells reports whether a pragma that is read like a table only tells something. Its
// value is then a condition on a column.
func tells(pragma string) bool {
	return slices.Contains(litePragmasAbout, pragma) || slices.Contains(litePragmas, pragma)
}

// node walks an expression, a query or a part of one.
func (w liteWalk) node(n ast.Node, s *scope) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		s = w.with(n.With, s)
	case *ast.InsertStmt:
		w.relation(n.Table, nil)
		s = w.with(n.With, s)
		w.nodes(n.Children(), s, n.With, n.Table)
		return
	case *ast.UpdateStmt:
		w.relation(n.Table, nil)
		s = w.with(n.With, s)
		w.nodes(n.Children(), s, n.With, n.Table)
		return
	case *ast.DeleteStmt:
		w.relation(n.Table, nil)
		s = w.with(n.With, s)
		w.nodes(n.Children(), s, n.With, n.Table)
		return
	case *ast.With:
		return // its queries are walked by with
	case *ast.QualifiedName:
		w.relation(n, s)
		return
	case *ast.TableRef:
		if n.HasArgs {
			w.function(n.Name.Name.Name)
			w.nodes(n.Children(), s, n.Name)
			return
		}
	case *ast.InExpr:
		if n.HasArgs {
			w.function(n.Table.Name.Name)
		}
	case *ast.FuncCall:
		w.function(n.Name.Name)
	}
	w.nodes(n.Children(), s)
}

// nodes walks all but those that the caller has dealt with.
func (w liteWalk) nodes(list []ast.Node, s *scope, done ...ast.Node) {
	for _, n := range list {
		if !slices.Contains(done, n) {
			w.node(n, s)
		}
	}
}

// with walks the queries of a WITH clause and returns the scope that it makes.
// In SQLite they see one another in any order, with or without RECURSIVE.
func (w liteWalk) with(clause *ast.With, s *scope) *scope {
	if clause == nil {
		return s
	}
	inner := &scope{map[string]bool{}, s}
	for _, c := range clause.CTEs {
		inner.names[lower(c.Name.Name)] = true
	}
	for _, c := range clause.CTEs {
		w.node(c.Select, inner)
	}
	return inner
}

// relation records a table, unless the name is that of a CTE.
func (w liteWalk) relation(q *ast.QualifiedName, s *scope) {
	name, schema := lower(q.Name.Name), ""
	if q.Schema != nil {
		schema = lower(q.Schema.Name)
	}
	if schema == "" && s.has(name) {
		return
	}
	w.table(schema, name)
	if liteModules[name] {
		w.act(Call, fmt.Sprintf("reads %q, which may be a table of files", name))
	}
	if pragma, is := strings.CutPrefix(name, "pragma_"); is && !tells(pragma) {
		w.act(Other, fmt.Sprintf("reads %q, which runs a pragma that may do more than tell", name))
	}
}

func (w liteWalk) function(name string) {
	if !liteFunctions[lower(name)] {
		w.act(Call, fmt.Sprintf("calls %q, which is not known to be harmless", lower(name)))
	}
}
