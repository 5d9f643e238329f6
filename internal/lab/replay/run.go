package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// Run replays files, one after the other, each in a stream.
type Run struct {
	Judges   Judges
	Options  Options
	Format   string         // of the files; "" = recognised
	By       string         // label that a report counts by, too; "" = none
	Journal  *Journal       // where outcomes are kept; nil = nowhere
	Progress func(Progress) // called after each trajectory; may be nil
}

// Judges are contracts. A trajectory that names its suite is judged by the one with
// a server of that name, one that names none by the only contract, if that has one
// server.
type Judges struct {
	All    []Judge
	Any    bool // the suite does not matter: the first judges all
	ByTool bool // what is left is judged by the first, each call as one of the server that has its tool
}

// errNoSuite says that nothing tells which server's tools a trajectory calls.
var errNoSuite = errors.New("it names no suite, and there are several servers: choose one of a contract")

// of returns the judge of a trajectory, and whether there is one.
func (j Judges) of(t *trajectory.Trajectory) (Judge, bool, error) {
	suite := t.Labels["suite"]
	if suite == "" && len(j.All) == 1 && len(j.All[0].servers) == 1 {
		suite = j.All[0].servers[0]
	}
	if j.Any {
		return j.All[0], true, nil
	}
	for _, judge := range j.All {
		if slices.Contains(judge.servers, suite) {
			judge.Server = suite
			return judge, true, nil
		}
	}
	if suite == "" && !j.ByTool {
		return Judge{}, false, errNoSuite
	}
	return j.All[0], j.ByTool, nil
}

// Play plays a trajectory through the gate of its judge, and says whether there is one.
func (j Judges) Play(ctx context.Context, t *trajectory.Trajectory, o Options) (Outcome, bool, error) {
	judge, ok, err := j.of(t)
	if err != nil || !ok {
		return Outcome{}, false, err
	}
	out, err := judge.Play(ctx, t, o)
	return out, true, err
}

// File is what a file came to.
type File struct {
	Name     string
	Outcomes []Outcome
	Problems []*trajectory.Problem // records that could not be read
	LeftOut  int                   // trajectories that no contract is for
	Unread   map[string]int        // parts of records that were passed over, by kind
}

// Count counts the outcomes.
func (f File) Count() Count { return CountOf(f.Outcomes) }

// By returns the outcomes by the value of a label; "" stands for those without it.
func (f File) By(label string) map[string][]Outcome {
	all := map[string][]Outcome{}
	for _, o := range f.Outcomes {
		all[o.Labels[label]] = append(all[o.Labels[label]], o)
	}
	return all
}

// Progress says how far a run is with a file.
type Progress struct {
	File      string
	Read, All int64 // bytes of the file as it is stored
	Traces    int   // that were decided
}

// File replays one file. An error ends it; what cannot be read of it does not.
func (r Run) File(ctx context.Context, name string) (File, error) {
	f := File{Name: name, Unread: map[string]int{}}
	in, err := os.Open(name)
	if err != nil {
		return f, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return f, err
	}
	counted := &counter{in: in}
	for t, err := range trajectory.Read(name, counted, trajectory.Options{Format: r.Format}) {
		var problem *trajectory.Problem
		switch {
		case errors.As(err, &problem):
			f.Problems = append(f.Problems, problem)
			continue
		case err != nil:
			return f, err
		}
		if err := r.add(ctx, &f, t); err != nil {
			return f, fmt.Errorf("%s: %s: %w", name, t.ID, err)
		}
		if r.Progress != nil {
			r.Progress(Progress{name, counted.n, info.Size(), len(f.Outcomes)})
		}
	}
	return f, nil
}

// add plays a trajectory, or takes what the journal says of it.
func (r Run) add(ctx context.Context, f *File, t *trajectory.Trajectory) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	judge, ok, err := r.Judges.of(t)
	if err != nil {
		return err
	}
	if !ok {
		f.LeftOut++
		return nil
	}
	for kind, n := range t.Unread {
		f.Unread[kind] += n
	}
	o, known, err := r.Journal.next(f.Name, t)
	if err != nil {
		return err
	}
	if !known {
		if o, err = judge.Play(ctx, t, r.Options); err != nil {
			return err
		}
		if err := r.Journal.add(f.Name, o); err != nil {
			return err
		}
	}
	f.Outcomes = append(f.Outcomes, o)
	return nil
}

// counter counts what was read.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}
