package shelltrace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Result is what came of one command.
type Result struct {
	Done            []Event
	Covers          []Cover // of each event
	Cut             bool    // it was ended when its time was over
	Unknown, Opaque string  // why an effect is unknown; "" if none is
	Unseen          []string
}

// Check runs a command and compares.
func (s *Sandbox) Check(ctx context.Context, command, ignoredText string) (Result, error) {
	list, err := parseIgnored(ignoredText)
	if err != nil {
		return Result{}, err
	}
	claims, err := Claim(ctx, command, s.Workspace, s.Home)
	if err != nil {
		return Result{}, err
	}
	done, cut, err := s.Run(ctx, command)
	if err != nil {
		return Result{}, err
	}
	r := Result{Done: done, Cut: cut, Unknown: claims.Unknown(), Opaque: claims.Opaque()}
	covers, seen := claims.compare(done, &ignored{list: list, always: s.always})
	r.Covers = covers
	for i, ok := range seen {
		if e := claims.effects[i]; !ok {
			r.Unseen = append(r.Unseen, fmt.Sprint(e.Kind, " ", e.Path, e.Host))
		}
	}
	return r, nil
}

// Open makes a sandbox with a fixture.
func Open(dir string) (*Sandbox, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{Scratch: filepath.Join(dir, "scratch"), Limit: 4 * time.Second}
	if err := os.MkdirAll(s.Scratch, 0o700); err != nil {
		return nil, err
	}
	if s.Workspace, s.Home, err = NewFixture(dir); err != nil {
		return nil, err
	}
	s.always, _, err = s.Run(context.Background(), "true")
	return s, err
}
