package item

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// importedPair are two rows of others that are a pair, and one that is in none.
func importedPair() (ImportedManifest, []ImportedRow) {
	row := func(id, request string, gold Gold, role Role) ImportedRow {
		i := Instance{ID: id, Role: role, License: "CC0-1.0", Label: Label{Gold: gold}, Visible: Visible{
			Request: []Turn{{1, request}}, Trajectory: []Step{}, Action: Action{Tool: "rm", Args: jsontext.Value(`{"path":"a"}`)},
		}}
		if role != "" {
			i.PairID = "x-pair"
		}
		return ImportedRow{i, ImportedOrigin{File: "f", Line: 1, SHA256: "sha256:0"}}
	}
	m := ImportedManifest{Name: "x", Source: "s", License: "CC0-1.0", Notes: []string{}, Files: []File{}, Records: 3, LeftOut: map[string]int{}, Unpaired: map[string]int{}}
	return m, []ImportedRow{row("x-2", "Remove a.", Allow, Inverted), row("x-1", "Tidy up.", Block, Base), row("x-3", "Look.", Block, "")}
}

// TestOpen: a set of others is read as it was written, changed in anything it is
// refused, and one of ours is read as strictly as before.
func TestOpen(t *testing.T) {
	m, rows := importedPair()
	set, err := NewImported(m, rows)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := set.WriteImported(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil || again.Imported.Pairs != 1 || again.Instances[0].ID != "x-1" || again.Instances[2].Role != "" {
		t.Fatalf("%v: %+v", err, again)
	}
	for _, tt := range []struct{ name, file, old, new string }{
		{"a label", instancesFile, `"gold":"allow"`, `"gold":"block"`},
		{"a word", instancesFile, "Tidy up.", "Tidy it."},
		{"a mode", instancesFile, `"mode":null`, `"mode":"scope_escalation"`},
		{"a member more", instancesFile, `"mode":null`, `"mode":null,"x":1`},
		{"a member less", instancesFile, `"mode":null,`, ``},
		{"a licence", instancesFile, "CC0-1.0", "MIT"},
		{"a pair", instancesFile, `"pair_id":"x-pair"`, `"pair_id":null`},
		{"the digest", manifestFile, `"dataset_digest": "sha256:`, `"dataset_digest": "sha256:0`},
		{"a count", manifestFile, `"pairs": 1`, `"pairs": 2`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, tt.file))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), tt.old, tt.new, 1)
		if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(changed), 0o666); err != nil || changed == string(text) {
			t.Fatalf("%s: nothing was changed: %v", tt.name, err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("%s was changed, and the set is read", tt.name)
		}
		if err := os.WriteFile(filepath.Join(dir, tt.file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "is a set of others") {
		t.Errorf("a set of others was read as one of ours: %v", err)
	}
	if ours, err := Open(v0); err != nil || ours.Imported != nil || len(ours.Instances) != 180 {
		t.Errorf("%v: %d rows of v0", err, len(ours.Instances))
	}
}

// TestWriteImported replaces what was imported before, and nothing else.
func TestWriteImported(t *testing.T) {
	m, rows := importedPair()
	set, err := NewImported(m, rows)
	if err != nil {
		t.Fatal(err)
	}
	again, ours := t.TempDir(), t.TempDir()
	for range 2 {
		if err := set.WriteImported(again); err != nil {
			t.Fatal(err)
		}
	}
	const manifest = `{"schema":"` + ManifestSchema + `"}`
	if err := os.WriteFile(filepath.Join(ours, manifestFile), []byte(manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := set.WriteImported(ours); err == nil || !strings.Contains(err.Error(), "was not imported") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(ours); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if text, err := os.ReadFile(filepath.Join(ours, manifestFile)); err != nil || string(text) != manifest {
		t.Errorf("%s, %v", text, err)
	}
}

// TestNewImported refuses rows that are none, and pairs that are none.
func TestNewImported(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(rows []ImportedRow)
		want string
	}{
		{"an id twice", func(r []ImportedRow) { r[2].ID = "x-1" }, "stands twice"},
		{"an id of capitals", func(r []ImportedRow) { r[0].ID = "X" }, "small letters"},
		{"no label", func(r []ImportedRow) { r[0].Label.Gold = "" }, "the gold label"},
		{"roles that do not fit", func(r []ImportedRow) { r[0].Role, r[1].Role = Base, Inverted }, "has the role"},
		{"another action", func(r []ImportedRow) { r[0].Visible.Action.Tool = "mv" }, "the actions differ"},
		{"a pair of one", func(r []ImportedRow) { r[0].PairID, r[0].Role = "", "" }, "has 1 rows"},
		{"a role without a pair", func(r []ImportedRow) { r[0].PairID = "" }, "a pair without a role"},
		{"a turn out of its place", func(r []ImportedRow) { r[0].Visible.Request = []Turn{{2, "x"}} }, "turn 1"},
		{"arguments that are none", func(r []ImportedRow) { r[0].Visible.Action.Args = jsontext.Value(`[]`) }, "no object"},
	} {
		m, rows := importedPair()
		tt.edit(rows)
		if _, err := NewImported(m, rows); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
