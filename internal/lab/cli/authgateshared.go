package cli

import (
	"regexp"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/shared"
)

// sharedPatience leaves a minute for the answer itself.
const sharedPatience = shared.Longest - time.Minute

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
