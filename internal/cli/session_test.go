package cli

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestReadStat(t *testing.T) {
	const tail = " S 41 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 1000 100"
	for stat, want := range map[string]process{
		"42 (node)" + tail:         {41, "node", "98765 boot"},
		"42 (a (b) c)" + tail:      {41, "a (b) c", "98765 boot"},
		"42 (-bash)" + tail:        {41, "bash", "98765 boot"},
		"42 (evil) S 1 (x)" + tail: {41, "evil) S 1 (x", "98765 boot"},
	} {
		if got, err := readStat(stat, "boot\n"); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", stat, got, err, want)
		}
	}
	for _, bad := range []string{"", "42", "42 (a) S 1", ") (" + tail} {
		if got, err := readStat(bad, ""); err == nil {
			t.Errorf("%q reads %+v", bad, got)
		}
	}
}

func TestReadPS(t *testing.T) {
	want := process{7, "Visual Studio Code", "Sun Nov 29 10:11:12 2026"}
	if got, err := readPS("    7 Sun Nov 29 10:11:12 2026     /Applications/Visual Studio Code\n"); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := readPS("\n"); err == nil {
		t.Errorf("%+v", got)
	}
}

// TestClientSession: what can't be told is unknown, never a session of its own.
func TestClientSession(t *testing.T) {
	for _, pid := range []int{1, 0, -1, 1 << 30} {
		if s := clientSession(pid); s != "" {
			t.Errorf("process %d has session %s", pid, s)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("processes are not read on windows")
	}
	own := clientSession(os.Getpid())
	if own == "" || own != clientSession(os.Getpid()) {
		t.Errorf("this process has session %q, then another", own)
	}
	// A client that starts its servers through a shell is found above the shell.
	shell := exec.Command("sh", "-c", "read line; exit 0")
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	if got := clientSession(shell.Process.Pid); got != own {
		t.Errorf("through a shell the session is %q, not %q", got, own)
	}
	in.Close()
	if err := shell.Wait(); err != nil && !strings.Contains(err.Error(), "exit status") {
		t.Fatal(err)
	}
}
