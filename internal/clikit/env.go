package clikit

import (
	"slices"
	"strings"
)

// ServerEnv returns an environment without licet's own settings and secrets, for
// the servers of others that licet starts. It is never nil, which package os/exec
// would take for our own.
func ServerEnv(env []string) []string {
	return slices.DeleteFunc(append([]string{}, env...), func(v string) bool {
		return strings.HasPrefix(strings.ToUpper(v), "LICET_")
	})
}
