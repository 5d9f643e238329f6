//go:build !unix

package llm

import (
	"errors"
	"os"
)

const openFlags = 0

// private refuses every file: who can read it can't be seen from its mode here.
func private(*os.File, string) error {
	return errors.New("who can read it is not known on this system: use an environment variable")
}
