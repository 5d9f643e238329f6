package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/testkit"
)

// TestMain makes this program what a box starts, and what tests start.
func TestMain(m *testing.M) {
	words := map[string]func([]string) error{
		EnterWord: func(args []string) error { return Enter(args[0]) },
		"hold":    hold,
		"cling":   cling,
		"lack":    lack,
		"be":      func([]string) error { return nil },
	}
	if len(os.Args) < 3 || words[os.Args[1]] == nil {
		os.Exit(m.Run())
	}
	if err := words[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// hold has a command cling to a pipe, in the sandbox.
func hold(args []string) error {
	pipe, folder := args[0], args[1]
	self, err := os.Executable()
	if err != nil {
		return err
	}
	paths, err := Program(self)
	if err != nil {
		return err
	}
	r, err := Box{Self: []string{self}}.Run(context.Background(), Command{
		Args: []string{self, "cling", pipe, "again"}, Paths: append(paths, Path{Name: os.DevNull}, Path{Name: pipe, Write: true}),
		Folder: folder, Limits: Build,
	})
	return errors.Join(err, fmt.Errorf("it ended: %d %s", r.Exit, r.Stdout))
}

// cling opens a pipe, has another process do so, too, and waits.
func cling(args []string) error {
	pipe, err := os.OpenFile(args[0], os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if err := exec.Command(os.Args[0], "cling", args[0]).Start(); err != nil {
			return err
		}
	}
	if _, err := pipe.WriteString("here\n"); err != nil {
		return err
	}
	time.Sleep(time.Hour)
	return nil
}

// TestKilledParent: nothing that runs in a sandbox lives on when the program that
// waits for it is killed.
func TestKilledParent(t *testing.T) {
	dir := t.TempDir()
	pipe, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "box")
	if err := errors.Join(os.Mkdir(folder, 0o755), syscall.Mkfifo(pipe, 0o600), os.Chmod(pipe, 0o666), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0], "hold", pipe, folder)
	printed, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(printed)
		// Lets who waits for somebody to open the pipe go on.
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
		ended <- string(text)
	}()
	reader, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	lines := bufio.NewReader(reader)
	for range 2 {
		if line, err := lines.ReadString('\n'); line != "here\n" {
			text := <-ended
			if strings.Contains(text, "the sandbox lacks") {
				testkit.Missing(t, "LICET_REQUIRE_SANDBOX", text)
			}
			t.Fatalf("%q, %v: %s", line, err, text)
		}
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The pipe ends when nobody holds it open.
	if err := reader.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("something lives on: %q, %v", rest, err)
	}
	_ = parent.Wait() // it was killed
}
