package item

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Schemas of an imported data set, whose rows are those of others: what their source
// does not say is null.
const (
	ImportedSchema         = "licet.authgate.imported/1"
	ImportedManifestSchema = "licet.authgate.imported-manifest/1"
)

// Bounds of imported rows. Those of others are longer than ours.
const (
	maxImportedRow = 1 << 20 // bytes
	mostTurns      = 1000
	mostSteps      = 1000
	deepestArgs    = 32 // objects and arrays around one another
)

// longest returns how many bytes a row of a schema can have.
func longest(schema string) int {
	if schema == ImportedSchema || schema == ImportedManifestSchema {
		return maxImportedRow
	}
	return MaxRow
}

// null is what no source of others says, and no importer makes up.
type null struct{}

// MarshalJSON writes null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// UnmarshalJSON takes null and nothing else.
func (*null) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		return errors.New("an imported row has null here")
	}
	return nil
}

// imported is an imported row as it stands in instances.jsonl.
type imported struct {
	Schema     string         `json:"schema"`
	ID         string         `json:"id"`
	PairID     *string        `json:"pair_id"` // null but in a proven pair
	Role       *Role          `json:"role"`    // the same: base or inverted
	Mode       null           `json:"mode"`
	Domain     null           `json:"domain"`
	ToolFamily null           `json:"tool_family"`
	Visible    Visible        `json:"visible"`
	Label      importedLabel  `json:"label"`
	Digests    Digests        `json:"digests"`
	Provenance ImportedOrigin `json:"provenance"`
	Dedup      null           `json:"dedup"`
	Review     null           `json:"review"`
	Split      null           `json:"split"`
	License    string         `json:"license"`
}

type importedLabel struct {
	Gold         Gold    `json:"gold"`
	Rationale    *string `json:"rationale"`
	NearMissKind null    `json:"near_miss_kind"`
	Effects      null    `json:"effects"`
	Coverage     null    `json:"coverage"`
	Boundaries   null    `json:"boundaries"`
}

// ImportedOrigin says which record of which file a row was.
type ImportedOrigin struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`
	ID     *string `json:"id"`     // as the source names it
	SHA256 string  `json:"sha256"` // of the record as it stood
}

// ImportedRow is a row of others: an instance of which only id, pair, role, visible
// part, gold label, rationale and licence can be known, and where it is from.
type ImportedRow struct {
	Instance
	Origin ImportedOrigin
}

// ImportedManifest describes an imported set. All records of its source are rows, or
// counted in LeftOut.
type ImportedManifest struct {
	Schema        string         `json:"schema"`
	Name          string         `json:"name"`
	Source        string         `json:"source"`
	License       string         `json:"license"` // SPDX
	Notes         []string       `json:"notes"`   // what a reader of numbers must know
	Mapping       string         `json:"mapping"` // digest
	Files         []File         `json:"files"`   // of the source; rows are its records
	Records       int            `json:"records"`
	Rows          int            `json:"rows"`
	Pairs         int            `json:"pairs"`
	LeftOut       map[string]int `json:"left_out"`  // records that are no rows, by reason
	Unpaired      map[string]int `json:"unpaired"`  // rows whose source names a pair that is none, by reason
	Unreached     *int           `json:"unreached"` // records to block that no gate saw; null where the source does not say
	DatasetDigest string         `json:"dataset_digest"`
}

// Open reads a data set of either kind: one of ours as [ReadDir] does, or an imported
// one. The instances of the latter have zero values where nothing is known, and
// their set has what its manifest says in Imported.
func Open(dir string) (*Set, error) {
	text, err := readFile(dir, manifestFile)
	if err != nil {
		return nil, err
	}
	if !isImported(text) {
		return ReadDir(dir)
	}
	m, found := decode[ImportedManifest](text, ImportedManifestSchema)
	if found != nil {
		return nil, Findings{found.at(manifestFile, 1)}
	}
	var all Findings
	rows, err := readRows[imported](dir, instancesFile, ImportedSchema, &all)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		return nil, all
	}
	list := make([]ImportedRow, len(rows))
	for n := range rows {
		list[n] = rows[n].row()
	}
	s, err := NewImported(m, list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, instancesFile), err)
	}
	for n := range rows {
		if rows[n].Digests != s.Instances[n].Digests || rows[n].ID != s.Instances[n].ID {
			return nil, fmt.Errorf("%s:%d: the digests do not belong to the row, or rows are not sorted by id", filepath.Join(dir, instancesFile), n+1)
		}
	}
	if got := s.Imported; canonical(got).Canonical() != canonical(m).Canonical() {
		return nil, fmt.Errorf("%s: counts or digest are not those of the rows", filepath.Join(dir, manifestFile))
	}
	return s, nil
}

// isImported says whether a manifest is that of a set of others. What is no JSON is told
// by [ReadDir].
func isImported(manifest []byte) bool {
	v, err := toolcall.Parse(manifest, toolcall.Bounds{})
	return err == nil && v.Get("schema").Text() == ImportedManifestSchema
}

// row returns the instance of a row, without what is null.
func (r *imported) row() ImportedRow {
	i := Instance{Schema: r.Schema, ID: r.ID, Visible: r.Visible, Label: Label{Gold: r.Label.Gold}, License: r.License}
	if r.PairID != nil {
		i.PairID = *r.PairID
	}
	if r.Role != nil {
		i.Role = *r.Role
	}
	if r.Label.Rationale != nil {
		i.Label.Rationale = *r.Label.Rationale
	}
	return ImportedRow{i, r.Provenance}
}

// importedOf is the other way round.
func importedOf(r *ImportedRow) *imported {
	row := &imported{Schema: ImportedSchema, ID: r.ID, Visible: r.Visible, Label: importedLabel{Gold: r.Label.Gold}, Provenance: r.Origin, License: r.License, Digests: r.Digests}
	if r.PairID != "" {
		row.PairID, row.Role = &r.PairID, &r.Role
	}
	if r.Label.Rationale != "" {
		row.Label.Rationale = &r.Label.Rationale
	}
	return row
}

// NewImported makes a set of rows of others: sorted, with their digests, counts and
// the digest of the whole. It is an error if a row is not what an imported one must
// be, or a pair is none.
func NewImported(m ImportedManifest, rows []ImportedRow) (*Set, error) {
	s := &Set{origins: map[string]ImportedOrigin{}}
	for n := range rows {
		i := rows[n].Instance
		if err := i.CheckImported(m.License); err != nil {
			return nil, fmt.Errorf("%q: %w", i.ID, err)
		}
		if _, twice := s.origins[i.ID]; twice {
			return nil, fmt.Errorf("%q stands twice", i.ID)
		}
		s.origins[i.ID] = rows[n].Origin
		i.Schema = ImportedSchema
		s.Instances = append(s.Instances, i)
	}
	slices.SortFunc(s.Instances, func(a, b Instance) int { return strings.Compare(a.ID, b.ID) })
	for n := range s.Instances {
		s.Instances[n].Digests = s.importedDigests(n)
	}
	pairs, err := provenPairs(s.Instances)
	if err != nil {
		return nil, err
	}
	m.Schema, m.Rows, m.Pairs = ImportedManifestSchema, len(rows), pairs
	m.DatasetDigest = digestText(s.importedRows())
	s.Imported = &m
	s.Manifest = Manifest{Name: m.Name, License: m.License, DatasetDigest: m.DatasetDigest}
	return s, nil
}

// importedDigests returns the digests of a row. That of the row covers all its
// members but the digests.
func (s *Set) importedDigests(n int) Digests {
	i := s.Instances[n]
	row := without(canonical(importedOf(&ImportedRow{i, s.origins[i.ID]})), "digests")
	return Digests{Trajectory: digestOf(i.Visible.Trajectory), Action: digestOf(i.Visible.Action), Visible: digestOf(i.Visible), Row: digestText([]byte(row.Canonical()))}
}

func (s *Set) importedRows() []byte {
	rows := make([]*imported, len(s.Instances))
	for n, i := range s.Instances {
		rows[n] = importedOf(&ImportedRow{i, s.origins[i.ID]})
	}
	return jsonl(rows)
}

// WriteImported writes an imported set into a folder, which is made if need be. A set
// that was imported before is replaced, and any other is left alone.
func (s *Set) WriteImported(dir string) error {
	rows := s.importedRows()
	if len(rows) > maxFile {
		return fmt.Errorf("the rows are %d bytes, more than the %d that are read: import the source in parts", len(rows), maxFile)
	}
	manifest := jsontext.Value(canonical(s.Imported).Canonical())
	if err := manifest.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	if old, err := os.ReadFile(filepath.Join(dir, manifestFile)); err == nil && !isImported(old) {
		return fmt.Errorf("%s has a data set that was not imported: give this one a folder of its own", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, instancesFile), rows, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(manifest, '\n'), 0o644)
}

var importedID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}$`)

// CheckImported returns what is wrong with a row of others under a licence.
func (i *Instance) CheckImported(license string) error {
	turns, steps := i.Visible.Request, i.Visible.Trajectory
	switch {
	case !importedID.MatchString(i.ID):
		return errors.New("an id is of small letters, digits and -, and at most 41 long")
	case i.Label.Gold != Block && i.Label.Gold != Allow:
		return fmt.Errorf("the gold label is %q, not block or allow", i.Label.Gold)
	case i.License == "" || i.License != license:
		return fmt.Errorf("the licence is %q, that of the set %q", i.License, license)
	case (i.PairID == "") != (i.Role == ""):
		return errors.New("a pair without a role, or the other way round")
	case len(turns) == 0 || len(turns) > mostTurns || len(steps) > mostSteps:
		return fmt.Errorf("%d turns, not 1 to %d, or %d steps, more than %d", len(turns), mostTurns, len(steps), mostSteps)
	case i.Visible.Action.Tool == "":
		return errors.New("the action has no tool")
	}
	if err := checkArgs(i.Visible.Action.Args); err != nil {
		return fmt.Errorf("the action: %w", err)
	}
	for n, t := range turns {
		if t.Turn != n+1 || strings.TrimSpace(t.Text) == "" {
			return fmt.Errorf("turn %d is empty, or not in its place", n+1)
		}
	}
	for n, step := range steps {
		if step.Step != n+1 || step.Tool == "" {
			return fmt.Errorf("step %d has no tool, or is not in its place", n+1)
		}
		if err := checkArgs(step.Args); err != nil {
			return fmt.Errorf("step %d: %w", n+1, err)
		}
	}
	if n := len(canonical(i.Visible).Canonical()); n > maxImportedRow/2 {
		return fmt.Errorf("what a judge would see is %d bytes, more than %d", n, maxImportedRow/2)
	}
	return nil
}

// checkArgs returns what is wrong with arguments of others. Their depth is bounded, so
// that a row with them can be read back.
func checkArgs(args jsontext.Value) error {
	v, err := toolcall.Parse(args, toolcall.Bounds{Depth: deepestArgs})
	if err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	if v.Kind() != toolcall.Object {
		return fmt.Errorf("the arguments are %s, no object", v.Kind())
	}
	return nil
}

// provenPairs counts the pairs of rows that are sorted. It is an error if one is none.
func provenPairs(rows []Instance) (int, error) {
	members := map[string][]*Instance{}
	for n := range rows {
		if i := &rows[n]; i.PairID != "" {
			members[i.PairID] = append(members[i.PairID], i)
		}
	}
	for id, all := range members {
		if len(all) != 2 {
			return 0, fmt.Errorf("the pair %q has %d rows, not 2", id, len(all))
		}
		if why := NoPair(all[0], all[1]); why != "" {
			return 0, fmt.Errorf("the pair %q is none: %s", id, why)
		}
		for _, i := range all {
			if i.Role == NearMiss || i.Role.Gold() != i.Label.Gold {
				return 0, fmt.Errorf("%s has the role %q and the label %s", i.ID, i.Role, i.Label.Gold)
			}
		}
	}
	return len(members), nil
}

// NoPair says why two rows are no contrast pair; "" is that they are one: the same
// bytes but for the request, and one of them to be blocked.
func NoPair(a, b *Instance) string {
	switch {
	case a.Label.Gold == b.Label.Gold:
		return "both have one label"
	case digestOf(a.Visible.Action) != digestOf(b.Visible.Action):
		return "the actions differ"
	case digestOf(a.Visible.Trajectory) != digestOf(b.Visible.Trajectory):
		return "the trajectories differ"
	case digestOf(a.Visible.Request) == digestOf(b.Visible.Request):
		return "both have one request"
	}
	return ""
}
