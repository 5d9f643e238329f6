//go:build !unix

package probe

import "os/exec"

// group does nothing: there are no process groups, and what the server started
// is expected to end when its input does.
func group(*exec.Cmd) {}

// interrupt does nothing: there is no signal to ask with.
func interrupt(*exec.Cmd) {}

// kill ends the process. An error means that it has ended.
func kill(cmd *exec.Cmd) { cmd.Process.Kill() }
