package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	lab "github.com/licet-dev/licet/internal/lab/cli"
)

// TestFakeLLMServes: without a command, the server says where it is, answers,
// and ends well when it is stopped.
func TestFakeLLMServes(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(script, []byte("rules: [{text: hi}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- lab.Run(ctx, []string{"licet-lab", "fake-llm", "--script", script}, nil, strings.NewReader(""), write, t.Output())
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	said, address, _ := strings.Cut(strings.TrimSpace(line), "http://")
	if said != "scripted answers, no model, on " {
		t.Errorf("said %q", line)
	}
	resp, err := http.Get("http://" + address + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Licet-Scripted") == "" {
		t.Errorf("answered %s %v", resp.Status, resp.Header)
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("ended with %d", status)
	}
}
