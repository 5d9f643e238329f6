package shelltrace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// result is what came of one command.
type result struct {
	entry
	done            []Event
	covers          []Cover // of each event
	cut             bool    // it was ended when its time was over
	unknown, opaque string  // why an effect is unknown; "" if none is
	unseen          []string
}

// bench is a sandbox with all that commands are held against.
type bench struct {
	Sandbox
	known known
}

// limit is how long a command may run.
const limit = 5 * time.Second

// newBench makes the workspace below a folder and runs `true` in it.
func newBench(ctx context.Context, dir string) (*bench, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("making a sandbox: %w", err)
	}
	b := &bench{Sandbox: Sandbox{Scratch: filepath.Join(dir, "scratch"), Limit: limit}}
	if err := os.MkdirAll(b.Scratch, 0o700); err != nil {
		return nil, fmt.Errorf("making a sandbox: %w", err)
	}
	if b.Workspace, b.Home, err = newFixture(dir); err != nil {
		return nil, err
	}
	if b.known, err = newKnown(ctx, b.Workspace); err != nil {
		return nil, err
	}
	b.known.always, _, err = b.Run(ctx, "true")
	return b, err
}

// check runs a command and holds what it did against what is said of it.
func (b *bench) check(ctx context.Context, e entry) (result, error) {
	claims, err := claim(ctx, e.command, b.Workspace, b.Home)
	if err != nil {
		return result{}, err
	}
	done, cut, err := b.Run(ctx, e.command)
	if err != nil {
		return result{}, fmt.Errorf("%q: %w", e.command, err)
	}
	r := result{entry: e, done: done, cut: cut, unknown: claims.unknown(false), opaque: claims.unknown(true)}
	var seen []bool
	r.covers, seen = claims.compare(done, &b.known)
	for i, effect := range claims.effects {
		if !seen[i] && effect.Kind != 0 {
			r.unseen = append(r.unseen, fmt.Sprintf("%s %s%s%s", effect.Kind, effect.Path, effect.Host, effect.Name))
		}
	}
	return r, nil
}
