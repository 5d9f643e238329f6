//go:build !unix

package mcpproxy

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// signalGroup kills the process: there is no way to ask.
func signalGroup(p *os.Process, _ bool) { _ = p.Kill() }
