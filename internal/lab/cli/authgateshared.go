package cli

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	authgateshared "github.com/licet-dev/licet/internal/lab/authgate/shared"
	"github.com/licet-dev/licet/internal/lab/shared"
)

// sharedPatience leaves a minute for the answer itself.
const sharedPatience = authgateshared.Longest - time.Minute

// asker returns what asks the questions of a run, in this process or in several, and
// how a run that was stopped goes on.
func (a *app) asker(f authgateRunFlags) (ask func(context.Context, *run.Plan, *run.Journal, run.Options) (run.Outcome, error), goesOn string, err error) {
	if f.database == "" {
		return run.Run, "the same command goes on", nil
	}
	d, err := a.sharedDatabase(f.database, f.schema)
	return authgateshared.Database(d).Run, "the same command goes on, with a larger budget if one is spent", err
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// sharedDatabase returns where a shared run is: in a schema of the database whose URL a
// variable of the environment holds. What is no name of a variable may be a URL with a
// password, and is not repeated.
func (a *app) sharedDatabase(name, schema string) (shared.Database, error) {
	if !variable.MatchString(name) {
		return shared.Database{}, clikit.Usagef("--database is the name of an environment variable that holds the URL, so that no password is among the arguments")
	}
	for _, v := range a.env {
		if url, ok := strings.CutPrefix(v, name+"="); ok && url != "" {
			return shared.Database{URL: url, Schema: schema}, nil
		}
	}
	return shared.Database{}, clikit.Usagef("--database %s: the environment has no such variable", name)
}
