//go:build unix

package mcpproxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// aliveEnv names a FIFO that a server holds open while it lives.
const aliveEnv = "MCPPROXY_TEST_ALIVE"

func init() {
	roles["stubborn"] = func() error { // ends neither with its input nor when asked to
		signal.Ignore(syscall.SIGTERM)
		if _, err := os.OpenFile(os.Getenv(aliveEnv), os.O_WRONLY, 0); err != nil {
			return err
		}
		fmt.Println("ready")
		select {}
	}
	roles["parent"] = func() error { // ends with its input and leaves a child that does not
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), playEnv+"=stubborn")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	roles["killed"] = func() error {
		if err := readRequests(3); err != nil {
			return err
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	ends["killed"] = "signal: killed"
}

// A server that ignores the end of its input and SIGTERM is killed, and so is
// what a server leaves behind; reading comes to its end.
func TestServersThatDoNotEnd(t *testing.T) {
	for _, role := range []string{"stubborn", "parent"} {
		fifo := filepath.Join(t.TempDir(), "alive")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		o := playing(role)
		o.Env = append(o.Env, aliveEnv+"="+fifo)
		p, err := start(o, 10*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		alive, err := os.Open(fifo)
		if err != nil {
			t.Fatal(err)
		}
		defer alive.Close()
		if line, err := bufio.NewReaderSize(p, 16).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%s: %q, %v", role, line, err)
		}
		if _, err := p.Stop(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		if _, err := io.Copy(io.Discard, p); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: reading to the end: %v", role, err)
		}
		if _, err := io.Copy(io.Discard, alive); err != nil { // until nobody holds it open
			t.Errorf("%s: %v", role, err)
		}
	}
}
