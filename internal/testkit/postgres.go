package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Postgres is a server of a test alone, behind a socket in Dir.
type Postgres struct {
	Dir string

	t   testing.TB
	bin string
	as  func(*exec.Cmd) // makes a command run as the server's user
}

// settings are for a server that one test uses once: nobody reaches it from elsewhere,
// it need not survive a crash, and it takes little of the disk.
const settings = "-c listen_addresses= -c fsync=off -c autovacuum=off -c shared_buffers=16MB" +
	" -c wal_level=minimal -c max_wal_senders=0 -c min_wal_size=2MB -c max_wal_size=16MB"

// StartPostgres starts a server in a temporary folder, as an unprivileged user
// where the test runs as root. Without PostgreSQL it skips the test, or fails it
// where LICET_REQUIRE_POSTGRES=1.
func StartPostgres(t testing.TB) *Postgres {
	t.Helper()
	c := &Postgres{t: t}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // where Debian has it
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, "LICET_REQUIRE_POSTGRES", "needs PostgreSQL, Debian's package postgresql")
	}
	c.bin = filepath.Dir(found[len(found)-1])
	if c.Dir, err = os.MkdirTemp("", "pg"); err != nil { // short: it is part of the socket's name
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(c.Dir) })
	c.as = unprivileged(t, c.Dir)
	c.run(c.bin+"/initdb", "", "-D", c.Dir+"/data", "-U", "test", "-A", "trust", "-N", "-E", "UTF8", "--wal-segsize=1")
	c.run(c.bin+"/pg_ctl", "", "-D", c.Dir+"/data", "-w", "-l", c.log(), "-o", "-k "+c.Dir+" "+settings, "start")
	t.Cleanup(func() { c.run(c.bin+"/pg_ctl", "", "-D", c.Dir+"/data", "-m", "immediate", "stop") })
	return c
}

// URL is where a database of the server is found.
func (c *Postgres) URL(db string) string { return "postgres://test@/" + db + "?host=" + c.Dir }

// SQL runs a script in a database and returns what it prints. An error in the
// script fails the test.
func (c *Postgres) SQL(db, script string) string {
	c.t.Helper()
	return c.run(c.bin+"/psql", script, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", c.Dir, "-U", "test", "-d", db)
}

func (c *Postgres) log() string { return filepath.Join(c.Dir, "log") }

// said is the end of the server's log, which tells why something failed.
func (c *Postgres) said() string {
	text, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	const most = 2000 // bytes
	return string(text[max(0, len(text)-most):])
}

func (c *Postgres) run(program, stdin string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = c.Dir, strings.NewReader(stdin)
	c.as(cmd)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		c.t.Errorf("%s: %v\n%s\n%.300s\nthe server's log ends with\n%s", filepath.Base(program), err, errs.String(), stdin, c.said())
	}
	return string(out)
}
