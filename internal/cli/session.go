package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// noSession tells the operator what a call without a session means.
const noSession = "licet: which process the client is can't be told, so calls have no session: conditions on the session " +
	"and `from: {result: ...}` do not hold. Name one with --session."

// maxAncestors bounds the climb to the client.
const maxAncestors = 16

// wrappers are programs that start others and stay: a client that starts its
// servers through one is found above it.
var wrappers = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox", "env", "nice", "timeout", "licet"}

// clientSession names the session of a stdio client by its process, so that all
// proxies which one client starts share a session, and never by an id that the
// client picks. A process id alone is used again by the system, so the start of
// the process belongs to the name. "" is unknown: a client whose process is gone
// or can't be told. A made-up session would be a known and empty one, in which
// nothing was ever done.
func clientSession(pid int) string {
	for range maxAncestors {
		p, err := processOf(pid)
		if err != nil || pid <= 1 { // 1 adopts whose parent has gone
			return ""
		}
		if !slices.Contains(wrappers, p.name) {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", pid, p.started))
			return "stdio-" + hex.EncodeToString(sum[:8])
		}
		pid = p.parent
	}
	return ""
}

// process is what tells one run of a process id from another, and where it
// comes from.
type process struct {
	parent        int
	name, started string
}

func processOf(pid int) (process, error) {
	switch runtime.GOOS {
	case "linux":
		return linuxProcess(pid)
	case "windows":
		return process{}, errors.New("processes are not read on windows")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/bin/ps", "-o", "ppid=,lstart=,comm=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return process{}, err
	}
	return readPS(string(out))
}

// readPS reads a line of ps: parent, start in five words, and the program.
func readPS(line string) (process, error) {
	fields := strings.Fields(line)
	if len(fields) < 7 {
		return process{}, fmt.Errorf("ps printed %q", line)
	}
	parent, err := strconv.Atoi(fields[0])
	name := strings.TrimPrefix(filepath.Base(strings.Join(fields[6:], " ")), "-") // login shells begin with a dash
	return process{parent, name, strings.Join(fields[1:6], " ")}, err
}

// linuxProcess reads proc(5), stat: name in field 2, parent in 4, start in clock
// ticks since boot in 22; and the boot's own id.
func linuxProcess(pid int) (process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return process{}, err
	}
	return readStat(string(stat), string(boot))
}

func readStat(stat, boot string) (process, error) {
	open, shut := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')') // the name may hold both
	if open < 0 || shut < open {
		return process{}, fmt.Errorf("unexpected form of stat: %q", stat)
	}
	fields := strings.Fields(stat[shut+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("unexpected form of stat: %q", stat)
	}
	parent, err := strconv.Atoi(fields[1])
	return process{parent, strings.TrimPrefix(stat[open+1:shut], "-"), fields[19] + " " + strings.TrimSpace(boot)}, err
}
