package mcpproxy

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of one listing by the relay.
const (
	listTime  = 10 * time.Second
	listPages = 64
	listTools = 4096
	// listAge is how long a listing counts: a server need not say that its tools
	// changed, and one of 2026-07-28 says it only to who has subscribed.
	listAge = time.Minute
	// listTries bounds how often one call waits for a new listing when the
	// server's tools keep changing.
	listTries = 3
)

// tools knows how the server's tools stand to the approved copy.
type tools struct {
	approved func() (*catalog.Catalog, bool)
	list     func(ctx context.Context, meta toolcall.Value) ([]toolcall.Value, error)
	notice   func(differing []string) // told when other tools than before differ from the approved copy
	busy     chan struct{}            // has room for one: one listing at a time

	mu         sync.Mutex
	generation uint64 // grows when what was listed before stops counting
	listed     map[string][]toolcall.Value
	at         time.Time // of the listing; zero = none
	noticed    []string
}

func newTools(approved func() (*catalog.Catalog, bool), list func(context.Context, toolcall.Value) ([]toolcall.Value, error), notice func([]string)) *tools {
	return &tools{approved: approved, list: list, notice: notice, busy: make(chan struct{}, 1)}
}

// now returns the state of a tool, and whether there is a listing that counts.
// Without one, every tool is unverified.
func (t *tools) now(name string) (s catalog.State, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.IsZero() || time.Since(t.at) > listAge {
		return catalog.Unverified, false
	}
	return t.compare(t.listed[name]), true
}

// compare returns the state of the definitions that one name has. A name with
// two is never the approved one: nobody knows which of them a client reads. A
// name with none can't be compared.
func (t *tools) compare(definitions []toolcall.Value) catalog.State {
	approved, ok := t.approved()
	switch {
	case !ok || len(definitions) == 0:
		return catalog.Unverified
	case len(definitions) > 1:
		return catalog.Quarantined
	}
	return catalog.Compare(approved, definitions[0])
}

// verify returns the state of a tool, listing the tools first if it must. meta
// is that of the client's request, which a modern server wants to see again.
func (t *tools) verify(ctx context.Context, name string, meta toolcall.Value) (catalog.State, error) {
	if s, known := t.now(name); known {
		return s, nil
	}
	select {
	case t.busy <- struct{}{}:
		defer func() { <-t.busy }()
	case <-ctx.Done():
		return catalog.Unverified, ctx.Err()
	}
	for range listTries {
		if s, known := t.now(name); known {
			return s, nil
		}
		generation := t.current()
		definitions, err := t.list(ctx, meta)
		if err != nil {
			return catalog.Unverified, err
		}
		t.set(generation, definitions)
	}
	if s, known := t.now(name); known {
		return s, nil
	}
	return catalog.Unverified, fmt.Errorf("the tools changed during each of %d listings", listTries)
}

// current returns the generation that a listing asked for now belongs to.
func (t *tools) current() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generation
}

// changed makes every earlier listing, and every one under way, not count.
func (t *tools) changed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	t.at, t.listed = time.Time{}, nil
}

// set takes over a complete listing that was asked for in a generation.
func (t *tools) set(generation uint64, definitions []toolcall.Value) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if generation != t.generation {
		return
	}
	t.listed, t.at = byName(definitions), time.Now()
	var differing []string
	for name, all := range t.listed {
		if t.compare(all) == catalog.Quarantined {
			differing = append(differing, name)
		}
	}
	slices.Sort(differing)
	if !slices.Equal(differing, t.noticed) {
		t.noticed = differing
		t.notice(differing)
	}
}

// seen takes over what the client's own listing showed: the whole, or one page,
// which can only cast doubt on what is known.
func (t *tools) seen(generation uint64, definitions []toolcall.Value, complete bool) {
	if complete {
		t.set(generation, definitions)
		return
	}
	for name, page := range byName(definitions) {
		if s, known := t.now(name); known && s != t.compare(page) {
			t.changed()
			return
		}
	}
}

func byName(definitions []toolcall.Value) map[string][]toolcall.Value {
	named := make(map[string][]toolcall.Value, len(definitions))
	for _, d := range definitions {
		name := d.Get("name").Text()
		named[name] = append(named[name], d)
	}
	return named
}

// listAll asks the server for all its tools, page by page.
func (r *relay) listAll(ctx context.Context, meta toolcall.Value) (all []toolcall.Value, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	cursor := toolcall.Value{}
	for range listPages {
		m, err := r.request(ctx, "tools/list", toolcall.ObjectOf(
			toolcall.Member{Name: "cursor", Value: cursor},
			toolcall.Member{Name: "_meta", Value: ownMeta(meta)},
		))
		if err != nil {
			return nil, fmt.Errorf("listing the tools: %w", err)
		}
		page, err := toolsOf(m.Result)
		if err != nil {
			return nil, fmt.Errorf("listing the tools: %w", err)
		}
		if all = append(all, page...); len(all) > listTools {
			return nil, fmt.Errorf("listing the tools: more than %d", listTools)
		}
		if cursor = m.Result.Get("nextCursor"); !continues(cursor) {
			return all, nil
		}
	}
	return nil, fmt.Errorf("listing the tools: more than %d pages", listPages)
}

// continues reports whether a listing goes on after a page with this cursor.
func continues(cursor toolcall.Value) bool {
	return cursor.Kind() != toolcall.Absent && cursor.Kind() != toolcall.Null
}

// toolsOf returns the definitions in the result of tools/list.
func toolsOf(result toolcall.Value) ([]toolcall.Value, error) {
	list := result.Get("tools")
	if list.Kind() != toolcall.Array {
		return nil, fmt.Errorf("tools is %s, not an array", list.Kind())
	}
	all := make([]toolcall.Value, list.Len())
	for i := range all {
		all[i] = list.Elem(i)
	}
	return all, nil
}

// metaPrefix begins the members of _meta by which a modern request says what a
// handshake said before (MCP 2026-07-28).
const metaPrefix = "io.modelcontextprotocol/"

// ownMeta returns what a request of the relay must say in the client's place:
// absent for a legacy client.
func ownMeta(meta toolcall.Value) toolcall.Value {
	var members []toolcall.Member
	for _, name := range []string{"protocolVersion", "clientCapabilities", "clientInfo"} {
		if v := meta.Get(metaPrefix + name); v.Kind() != toolcall.Absent {
			members = append(members, toolcall.Member{Name: metaPrefix + name, Value: v})
		}
	}
	if len(members) == 0 {
		return toolcall.Value{}
	}
	return toolcall.ObjectOf(members...)
}
