package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	lab "github.com/licet-dev/licet/internal/lab/cli"
)

// TestReviewServes: the server says where it is, answers there and nowhere else, and
// ends well when it is stopped.
func TestReviewServes(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../data/authgate/v0")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- lab.Run(ctx, []string{"licet-lab", "authgate", "review", dir, "--reviewer", "anna", "--kind", "human", "--serve"}, nil, strings.NewReader(""), write, t.Output())
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`^Open (http://127\.0\.0\.1:[0-9]+/)([A-Z2-7]{26}/) in a browser`).FindStringSubmatch(line)
	if address == nil {
		t.Fatalf("said %q", line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	for at, want := range map[string]int{address[1] + address[2]: http.StatusOK, address[1]: http.StatusNotFound} {
		resp, err := http.Get(at)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s answers %s", at, resp.Status)
		}
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("ended with %d", status)
	}
}
