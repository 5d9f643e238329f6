package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// contestants are the engines and workloads that are measured, by name.
var contestants = map[string]struct {
	build    func(workload) (engine, error)
	workload workload
}{
	"licet":        {newLicet, small},
	"cedar-go":     {newCedar, small},
	"OPA":          {newOPA, small},
	"licet, large": {newLicet, large},
}

// ready is the first line of a contestant's process.
type ready struct {
	Version string
	Load    time.Duration // processor time for making the engine
}

// contest is what a contestant's process does: it makes the engine, lets it give
// the expected answers, says so, and measures a round for each line that it reads.
// So each engine has memory of its own, and pays for collecting its own garbage
// only, among what it keeps itself.
func contest(name string, each time.Duration, in io.Reader, out io.Writer) error {
	c, ok := contestants[name]
	if !ok {
		return fmt.Errorf("no engine %q", name)
	}
	begin, err := processorTime()
	if err != nil {
		return err
	}
	e, err := c.build(c.workload)
	if err != nil {
		return err
	}
	loaded, err := processorTime()
	if err != nil {
		return err
	}
	calls := requests()
	if err := agree(e, calls); err != nil {
		return fmt.Errorf("nothing is compared, because an answer is wrong: %w", err)
	}
	lines := json.NewEncoder(out)
	if err := lines.Encode(ready{e.version, loaded - begin}); err != nil {
		return err
	}
	for turns := bufio.NewScanner(in); turns.Scan(); {
		r, err := measure(e, calls, each)
		if err != nil {
			return err
		}
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// timed is a contestant's process and what it took in every round.
type timed struct {
	name string
	ready
	rounds []round

	process *exec.Cmd
	turns   io.WriteCloser
	answers *json.Decoder
}

// start starts the process of a contestant and waits until it is ready.
func start(name string, each time.Duration) (*timed, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := &timed{name: name, process: exec.Command(self, "-contest", name, "-each", each.String())}
	t.process.Stderr = os.Stderr
	if t.turns, err = t.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.answers = json.NewDecoder(out)
	if err := t.process.Start(); err != nil {
		return nil, err
	}
	if err := t.answers.Decode(&t.ready); err != nil {
		return nil, fmt.Errorf("%s: starting: %w", name, errors.Join(err, t.stop()))
	}
	return t, nil
}

// turn measures one round.
func (t *timed) turn() error {
	if _, err := fmt.Fprintln(t.turns); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	var r round
	if err := t.answers.Decode(&r); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	t.rounds = append(t.rounds, r)
	return nil
}

func (t *timed) stop() error { return errors.Join(t.turns.Close(), t.process.Wait()) }

// best returns the time for one decision in the shortest round: other load can
// only add.
func (t *timed) best() time.Duration { return t.sorted()[0].CPU }

// median returns that of the round in the middle.
func (t *timed) median() time.Duration { return t.sorted()[len(t.rounds)/2].CPU }

func (t *timed) sorted() []round {
	return slices.SortedFunc(slices.Values(t.rounds), func(a, b round) int { return int(a.CPU - b.CPU) })
}
