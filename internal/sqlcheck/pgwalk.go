package sqlcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pgWalk goes through the tree of one PostgreSQL statement, in the JSON form of
// libpg_query: a node is an object under its type's name, or bare where the
// place leaves no choice of type. So what a bare object is shows in its members.
type pgWalk struct{ *finding }

type object = map[string]any

// pgStatements says what class each statement is of. Those with a function of
// their own are in pgWalk.walk; any other is of class Other.
var pgStatements = map[string]struct {
	class Class
	why   string
}{
	"SelectStmt":         {Select, ""},
	"VariableShowStmt":   {Select, ""},
	"UpdateStmt":         {Update, "updates a table"},
	"DeleteStmt":         {Delete, "deletes rows"},
	"MergeStmt":          {Merge, "merges into a table"},
	"TruncateStmt":       {Truncate, "empties a table"},
	"CreateStmt":         {Create, "creates a table"},
	"CreateTableAsStmt":  {Create, "creates a table"},
	"ViewStmt":           {Create, "creates a view"},
	"IndexStmt":          {Create, "creates an index"},
	"CreateSeqStmt":      {Create, "creates a sequence"},
	"AlterTableStmt":     {Alter, "alters a table"},
	"GrantStmt":          {Grant, "changes privileges"},
	"GrantRoleStmt":      {Grant, "changes privileges"},
	"LockStmt":           {Lock, "locks a table"},
	"TransactionStmt":    {Transaction, "begins or ends a transaction"},
	"ConstraintsSetStmt": {Transaction, "changes a transaction"},
	"VariableSetStmt":    {Session, "changes a setting"},
	"DiscardStmt":        {Session, "resets the session"},
	"PrepareStmt":        {Session, "prepares a statement"},
	"DeallocateStmt":     {Session, "drops a prepared statement"},
	"DeclareCursorStmt":  {Session, "opens a cursor"},
	"FetchStmt":          {Session, "uses a cursor"},
	"ClosePortalStmt":    {Session, "closes a cursor"},
	"VacuumStmt":         {Maintain, "rewrites or analyzes tables"},
	"ReindexStmt":        {Maintain, "rebuilds an index"},
	"ClusterStmt":        {Maintain, "rewrites a table"},
	"CheckPointStmt":     {Maintain, "writes a checkpoint"},
	"RefreshMatViewStmt": {Maintain, "rewrites a materialized view"},
	"DoStmt":             {Call, "runs a code block"},
	"CallStmt":           {Call, "calls a procedure"},
	"ExecuteStmt":        {Call, "runs a prepared statement"},
}

// walk records what kind of statement the only member of s is, and walks it.
func (w pgWalk) walk(s object) {
	for name, v := range s {
		body, _ := v.(object)
		switch name {
		case "InsertStmt":
			w.insert(body)
		case "ExplainStmt":
			w.explain(body)
			return
		case "CopyStmt":
			w.copy(body)
		case "DropStmt":
			w.drop(body)
		default:
			known, ok := pgStatements[name]
			if !ok {
				known.class, known.why = Other, "is a statement that is not known here"
			}
			w.act(known.class, known.why)
		}
		w.node(body, nil)
	}
	if len(s) != 1 {
		w.act(Other, "is a statement that cannot be read")
	}
}

func (w pgWalk) insert(s object) {
	w.act(Insert, "inserts rows")
	if conflict, _ := s["onConflictClause"].(object); conflict["action"] == "ONCONFLICT_UPDATE" {
		w.act(Update, "")
	}
}

// explain: without ANALYZE the statement is planned and not run. Planning
// evaluates functions, so those count all the same.
func (w pgWalk) explain(s object) {
	query, _ := s["query"].(object)
	for _, option := range list(s["options"]) {
		element, _ := option.(object)["DefElem"].(object)
		if strings.EqualFold(text(element["defname"]), "analyze") {
			w.walk(query)
			return
		}
	}
	w.act(Select, "")
	for name, v := range query {
		body, _ := v.(object)
		switch name {
		case "SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt":
			planned := pgWalk{newFinding()}
			planned.node(body, nil)
			w.planned(planned)
		default:
			w.walk(query)
		}
	}
}

// planned takes over what is true of a statement also if it is not run.
func (w pgWalk) planned(p pgWalk) {
	maps.Copy(w.tables, p.tables)
	for _, c := range []Class{Call, Other} {
		if p.classes[c] {
			w.act(c, p.why)
		}
	}
}

func (w pgWalk) copy(s object) {
	w.act(Copy, "copies between a table and a file or the client")
	if s["is_from"] == true {
		w.act(Insert, "")
	}
	if s["is_program"] == true {
		w.act(Call, "")
	}
	if text(s["filename"]) != "" {
		w.act(Other, "")
	}
}

// pgRelations are the kinds of object whose names are those of tables.
var pgRelations = []string{
	"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW", "OBJECT_INDEX", "OBJECT_SEQUENCE", "OBJECT_FOREIGN_TABLE",
}

func (w pgWalk) drop(s object) {
	w.act(Drop, "drops something")
	if !slices.Contains(pgRelations, text(s["removeType"])) {
		w.beyond("drops something else than a table")
		return
	}
	for _, item := range list(s["objects"]) {
		wrapped, _ := item.(object)["List"].(object)
		name := names(wrapped["items"])
		switch len(name) {
		case 1:
			w.table("", name[0])
		case 2:
			w.table(name[0], name[1])
		default:
			w.beyond("drops something that is not named by schema and table")
		}
	}
}

// node walks an object, which may be a query or a part of one. The WITH clause
// comes first: it says which names are no tables.
func (w pgWalk) node(o object, s *scope) {
	if clause, ok := o["withClause"].(object); ok {
		s = w.with(clause, s)
	}
	w.marks(o, s)
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch {
		case key == "withClause", key == "lockedRels": // the latter are items of FROM
		case key == "relation": // what is written to is never a CTE
			w.value(o[key], nil)
		default:
			w.member(key, o[key], s)
		}
	}
}

// member walks what stands under a key: a node's type, where that begins with a
// capital, or a member.
func (w pgWalk) member(key string, v any, s *scope) {
	typed := 'A' <= key[0] && key[0] <= 'Z'
	if typed && strings.HasSuffix(key, "Stmt") {
		body, _ := v.(object)
		switch known, ok := pgStatements[key]; {
		case key == "InsertStmt":
			w.insert(body)
		case ok && known.class != Select:
			w.act(known.class, known.why)
		case !ok:
			w.act(Other, "holds a statement that is not known here")
		}
	} else if typed && !pgNodes[key] {
		w.act(Other, fmt.Sprintf("holds a %s, which is not known here", key))
	}
	w.value(v, s)
}

func (w pgWalk) value(v any, s *scope) {
	switch v := v.(type) {
	case object:
		w.node(v, s)
	case []any:
		for _, item := range v {
			w.value(item, s)
		}
	}
}

// marks records what the members of an object show.
func (w pgWalk) marks(o object, s *scope) {
	if name, ok := o["relname"]; ok {
		w.relation(o, text(name), s)
	}
	if _, ok := o["funcname"]; ok {
		w.function(names(o["funcname"]))
	}
	if _, ok := o["intoClause"]; ok {
		w.act(Create, "makes a table of what it selects")
	}
	if _, ok := o["lockingClause"]; ok {
		w.act(Lock, "locks rows")
	}
	if o["behavior"] == "DROP_CASCADE" {
		w.beyond("cascades to what depends on it")
	}
	for _, key := range []string{"name", "operName", "useOp"} { // A_Expr, SubLink, SortBy
		w.operator(names(o[key]))
	}
	if _, ok := o["repeatable"]; ok || o["method"] != nil { // RangeTableSample
		w.sample(names(o["method"]))
	}
}

// relation records a table, unless the name is that of a CTE.
func (w pgWalk) relation(o object, name string, s *scope) {
	schema := text(o["schemaname"])
	if text(o["catalogname"]) != "" {
		w.act(Other, "names a table together with its database")
	}
	if schema != "" || !s.has(name) {
		w.table(schema, name)
	}
}

// function: only functions of PostgreSQL itself can be known. The schema that
// holds them is searched before all others.
func (w pgWalk) function(name []string) {
	if len(name) == 2 && name[0] == "pg_catalog" {
		name = name[1:]
	}
	if len(name) != 1 || !pgFunctions[name[0]] {
		w.act(Call, fmt.Sprintf("calls %q, which is not known to be harmless", strings.Join(name, ".")))
	}
}

// operator: one that is named with another schema is one of the database's own.
func (w pgWalk) operator(name []string) {
	if len(name) > 1 && name[0] != "pg_catalog" {
		w.act(Call, fmt.Sprintf("uses the operator %s", strings.Join(name, ".")))
	}
}

func (w pgWalk) sample(method []string) {
	if len(method) != 1 || method[0] != "bernoulli" && method[0] != "system" {
		w.act(Call, "samples by a method that is not known here")
	}
}

// with walks the queries of a WITH clause and returns the scope that it makes.
// With RECURSIVE they see themselves and one another, else those before.
func (w pgWalk) with(clause object, s *scope) *scope {
	recursive := clause["recursive"] == true
	inner := s
	if recursive {
		inner = &scope{map[string]bool{}, s}
		for _, c := range list(clause["ctes"]) {
			inner.names[cteName(c)] = true
		}
	}
	for _, c := range list(clause["ctes"]) {
		w.value(c, inner)
		if !recursive {
			inner = &scope{map[string]bool{cteName(c): true}, inner}
		}
	}
	return inner
}

func cteName(c any) string {
	wrapped, _ := c.(object)
	cte, _ := wrapped["CommonTableExpr"].(object)
	return text(cte["ctename"])
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// names returns the parts of a qualified name; a part that is no text is "?",
// which names nothing.
func names(v any) []string {
	var all []string
	for _, item := range list(v) {
		wrapped, _ := item.(object)
		s, ok := wrapped["String"].(object)
		if !ok {
			all = append(all, "?")
			continue
		}
		all = append(all, text(s["sval"]))
	}
	return all
}
