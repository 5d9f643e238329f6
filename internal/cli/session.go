package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// clientSession names the session of a stdio client: its process, so that all
// proxies which one client starts share a session, and never an id that the
// client picks. A process id alone is used again by the system, so the start of
// the process belongs to the name. Where that can't be learned, the session is
// this proxy's own: calls are then judged with less history, never with more.
func clientSession(pid int) string {
	started, err := processStart(pid)
	if err != nil || pid <= 1 {
		return "stdio-" + strings.ToLower(rand.Text()[:16])
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", pid, started))
	return "stdio-" + hex.EncodeToString(sum[:8])
}

// processStart tells one run of a process id from another.
func processStart(pid int) (string, error) {
	switch runtime.GOOS {
	case "linux":
		return linuxStart(pid)
	case "windows":
		return "", fmt.Errorf("not known on %s", runtime.GOOS)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/bin/ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || strings.TrimSpace(string(out)) == "" {
		return "", fmt.Errorf("start of process %d is not known: %w", pid, err)
	}
	return string(out), nil
}

// linuxStart reads the start time, in clock ticks since boot (proc(5), field 22
// of stat), and the boot's own id.
func linuxStart(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	// The command's name, field 2, may hold spaces and brackets.
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("process %d: unexpected form of stat", pid)
	}
	return fields[19] + " " + string(boot), nil
}
