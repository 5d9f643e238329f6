//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
)

// Run refuses: there is no sandbox for this system, and nothing runs without one.
func (b Box) Run(context.Context, Command) (Result, error) {
	return Result{}, &Missing{"namespaces", errors.New("there is no sandbox on " + runtime.GOOS)}
}

// Enter refuses, as Run does.
func Enter(string) error { return errors.New("there is no sandbox on " + runtime.GOOS) }
