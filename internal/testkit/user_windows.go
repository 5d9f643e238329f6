package testkit

import (
	"os/exec"
	"testing"
)

// unprivileged has nothing to do: there is no root.
func unprivileged(testing.TB, string) func(*exec.Cmd) { return func(*exec.Cmd) {} }
