package sqlcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	pgquery "github.com/wasilibs/go-pgquery/parser"
)

// Bounds of one reading by PostgreSQL's parser. It takes milliseconds, and seconds
// the first time, on a machine with other things to do many of them: one that gives
// up then would refuse all that comes until licet is started again. A caller who
// cannot wait has a deadline of its own.
const (
	patience      = 20 * time.Second
	patienceFirst = 5 * time.Minute
)

// errLost says that the parser of PostgreSQL can no longer be used.
var errLost = errors.New("the parser of PostgreSQL failed before; restart licet to use it again")

// engine is the one instance of PostgreSQL's parser. A second one would take as
// much memory and start-up again, so readers take turns. An instance that failed
// is never asked again: its memory may hold anything.
var engine struct {
	sync.Mutex
	started, lost bool
}

// readPostgres reads a text as PostgreSQL does.
func readPostgres(text string) ([]Statement, error) {
	tree, err := pgParse(text)
	if err != nil {
		return nil, err
	}
	var script struct {
		Stmts []struct {
			Stmt map[string]any `json:"stmt"`
		} `json:"stmts"`
	}
	if err := json.Unmarshal([]byte(tree), &script); err != nil {
		return nil, fmt.Errorf("reading PostgreSQL's parse tree: %w", err)
	}
	statements := make([]Statement, len(script.Stmts))
	for i, s := range script.Stmts {
		w := pgWalk{newFinding()}
		w.walk(s.Stmt)
		statements[i] = w.statement()
	}
	return statements, nil
}

// pgParse returns the parse tree of text as JSON. The scanner comes first and
// says how deep the tree may be: the parser has a small stack, does not notice
// its end, and then fails or never returns.
func pgParse(text string) (string, error) {
	engine.Lock()
	defer engine.Unlock()
	if engine.lost {
		return "", errLost
	}
	type result struct {
		tree string
		err  error
		lost bool
	}
	done := make(chan result, 1)
	go func() {
		r := result{lost: true}
		defer func() {
			if defect := recover(); defect != nil {
				r.err = fmt.Errorf("the parser of PostgreSQL failed: %.80v", defect)
			}
			done <- r
		}()
		r.tree, r.err = scanAndParse(text)
		r.lost = false
	}()
	wait := patience
	if !engine.started {
		wait = patienceFirst
	}
	select {
	case r := <-done:
		engine.started, engine.lost = true, r.lost
		return r.tree, r.err
	case <-time.After(wait):
		engine.lost = true
		return "", fmt.Errorf("the parser of PostgreSQL did not end within %s", wait)
	}
}

func scanAndParse(text string) (string, error) {
	tokens, err := pgquery.ScanToProtobuf(text)
	if err != nil {
		return "", fmt.Errorf("PostgreSQL does not take it: %w", err)
	}
	depth, err := depthBound(text, tokens)
	if err != nil {
		return "", err
	}
	if depth > maxDepth {
		return "", fmt.Errorf("nested too deeply, or an expression of too many parts (%d, at most %d)", depth, maxDepth)
	}
	tree, err := pgquery.ParseToJSON(text)
	if err != nil {
		return "", fmt.Errorf("PostgreSQL does not take it: %w", err)
	}
	return tree, nil
}
