package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/catalog"
)

// DefaultTimeout is how long a server may take when [Options] says nothing: a
// package runner may have to download it first.
const DefaultTimeout = time.Minute

// Options says how a server is started. The zero Options gives it an empty
// environment and [DefaultTimeout].
type Options struct {
	Env     []string // the whole environment of the server, as NAME=VALUE
	Timeout time.Duration
}

// Server is what a server says of itself. All of it is a claim.
type Server struct {
	Name, Version string
	Protocol      string // the MCP revision that was spoken, such as "2025-11-25"
	Catalog       *catalog.Catalog
}

// Catalog starts the command argv as an MCP server, asks it for its
// instructions and all its tools, and ends it. An error says what the server
// did, with the end of what it wrote to standard error; that text is escaped.
func Catalog(ctx context.Context, argv []string, o Options) (*Server, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	late := fmt.Errorf("no answer within %s", o.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, late)
	defer cancel()
	p, err := start(argv, o.Env)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	// Ending the server ends every read and write that waits for it.
	release := context.AfterFunc(ctx, p.stop)
	s, err := newClient(p).describe()
	release()
	p.stop()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // the other errors only follow from it
	}
	if err != nil {
		return nil, p.explain(err)
	}
	return s, nil
}

// The MCP revisions, by the way that they open a session.
var (
	legacy = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	modern = "2026-07-28"
)

// describe lists the tools in the era that the server understands. Legacy comes
// first: a legacy server may end, or stay silent, when it is asked anything else
// than initialize, while a modern one answers that it does not know it.
func (c *client) describe() (*Server, error) {
	s, err := c.describeLegacy()
	if refused := (*refusal)(nil); !errors.As(err, &refused) {
		return s, err
	}
	s, modernErr := c.describeModern()
	if modernErr != nil {
		return nil, fmt.Errorf("%w; asked as MCP %s: %w", err, modern, modernErr)
	}
	return s, nil
}
