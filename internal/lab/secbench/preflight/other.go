//go:build !linux

package preflight

import (
	"context"
	"io"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// Run says that there is no sandbox for this system.
func Run(ctx context.Context, c Config) (Report, error) {
	_, err := c.Box.Run(ctx, sandbox.Command{})
	return Report{}, err
}

// Inside is what this program does where a box starts it: nothing, on this system.
func Inside(args []string, in io.Reader, out io.Writer) error { return harness.Inside(args, in, out) }
