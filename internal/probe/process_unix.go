//go:build unix

package probe

import (
	"os/exec"
	"syscall"
)

// group makes the command the leader of a process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks the whole group to end. The only error is that it has ended.
func interrupt(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the whole group. The only error is that it has ended.
func kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
