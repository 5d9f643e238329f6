package cli

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/authgate/shared"
)

// sharedPatience leaves a minute for the answer itself.
const sharedPatience = shared.Longest - time.Minute

// asker returns what asks the questions of a run, in this process or in several, and
// how a run that was stopped goes on.
func (a *app) asker(f authgateRunFlags) (ask func(context.Context, *run.Plan, *run.Journal, run.Options) (run.Outcome, error), goesOn string, err error) {
	if f.database == "" {
		return run.Run, "the same command goes on", nil
	}
	d, err := a.runDatabase(f)
	return d.Run, "the same command goes on, with a larger budget if one is spent", err
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// runDatabase returns where a shared run is. What is no name of a variable may be a
// URL with a password, and is not repeated.
func (a *app) runDatabase(f authgateRunFlags) (shared.Database, error) {
	if !variable.MatchString(f.database) {
		return shared.Database{}, clikit.Usagef("--database is the name of an environment variable that holds the URL, so that no password is among the arguments")
	}
	for _, v := range a.env {
		if url, ok := strings.CutPrefix(v, f.database+"="); ok && url != "" {
			return shared.Database{URL: url, Schema: f.schema}, nil
		}
	}
	return shared.Database{}, clikit.Usagef("--database %s: the environment has no such variable", f.database)
}
