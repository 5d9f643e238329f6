package item

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// finish sorts the rows and adds what follows from all of them together:
// neighbours, clusters, split, digests and how far the review has come.
func (s *Set) finish() {
	slices.SortFunc(s.Instances, func(a, b Instance) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(s.Signals, func(a, b Signals) int { return strings.Compare(a.PairID, b.PairID) })
	nearest, cluster := neighbours(s.Instances), clusters(s.Instances)
	split := splits(s.Instances, cluster)
	for n := range s.Instances {
		i := &s.Instances[n]
		near := nearest[i.ID]
		i.Dedup = Dedup{"c-" + strings.TrimPrefix(cluster[i.PairID], "ag"), near.id, fmt.Sprintf("%.2f", near.how)}
		i.Split = split[i.PairID]
		i.Digests = i.digests()
	}
	for n := range s.Signals {
		s.Signals[n].Digests = s.Signals[n].digests()
	}
	for _, p := range s.Standings() {
		for _, row := range p.Rows {
			row.Review = row.review()
		}
	}
}

// splits puts a fifth of the pairs of each mode into dev, by the hash of the pair,
// and the rest into test. A cluster goes where its first pair goes.
func splits(rows []Instance, cluster map[string]string) map[string]string {
	byMode := map[Mode][]string{}
	for _, i := range rows {
		if i.Role == Base {
			byMode[i.Mode] = append(byMode[i.Mode], i.PairID)
		}
	}
	split := map[string]string{}
	for _, pairs := range byMode {
		slices.SortFunc(pairs, byHash)
		for n, pair := range pairs {
			split[pair] = "test"
			if n < (len(pairs)+2)/5 {
				split[pair] = "dev"
			}
		}
	}
	whole := map[string]string{}
	for pair := range split {
		whole[pair] = split[cluster[pair]]
	}
	return whole
}

// Write writes the rows and the manifest of a set into its folder, and adds what was
// given up to drops.jsonl.
func (s *Set) Write() error {
	files := map[string][]byte{instancesFile: jsonl(s.Instances), signalsFile: jsonl(s.Signals)}
	names := []string{instancesFile, signalsFile, manifestFile}
	if len(s.dropped) > 0 {
		drops, err := s.textOf(dropsFile)
		if err != nil {
			return err
		}
		files[dropsFile], names = drops, append(names, dropsFile)
	}
	manifest := jsontext.Value(canonical(s.Manifest).Canonical())
	if err := manifest.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	files[manifestFile] = append(manifest, '\n')
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(s.dir, name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// jsonl returns rows in canonical form, one a line.
func jsonl[T any](rows []T) (text []byte) {
	for _, row := range rows {
		text = append(canonical(row).AppendCanonical(text), '\n')
	}
	return text
}

// manifest describes the set.
func (s *Set) manifest(h header) (Manifest, error) {
	m, err := s.describe()
	m.Schema, m.License = ManifestSchema, License
	m.Name, m.Version, m.Created = h.Name, h.Version, h.Created
	m.Domains, m.ToolFamilies, m.Parent, m.Changes = h.Domains, h.ToolFamilies, h.Parent, h.Changes
	return m, err
}

// describe returns the part of the manifest that follows from rows and files.
func (s *Set) describe() (m Manifest, err error) {
	m.Counts, m.Splits = map[Mode]map[Role]int{}, map[string]int{}
	for _, i := range s.Instances {
		if m.Counts[i.Mode] == nil {
			m.Counts[i.Mode] = map[Role]int{}
		}
		m.Counts[i.Mode][i.Role]++
		if i.Role == Base {
			m.Splits[i.Split]++
		}
		m.Generators = generatedBy(m.Generators, i.Provenance.Generator)
	}
	if m.Files, err = s.dataFiles(); err != nil {
		return m, err
	}
	var lines []string
	for _, f := range m.Files {
		lines = append(lines, strings.TrimPrefix(f.SHA256, "sha256:")+"  "+f.Path+"\n")
	}
	slices.Sort(lines)
	m.DatasetDigest = digestText([]byte(strings.Join(lines, "")))
	if m.Policies, err = s.texts("policies"); err != nil {
		return m, err
	}
	if m.Prompts, err = s.texts("prompts"); err != nil {
		return m, err
	}
	m.ToolCatalogue, m.Thresholds, m.Controls = s.Tools.Digest(), thresholds, Controls(s)
	m.Review, err = s.ReviewSummary()
	return m, err
}

func generatedBy(all []GeneratorCount, g Generator) []GeneratorCount {
	at := slices.IndexFunc(all, func(c GeneratorCount) bool { return c.Family == g.Family && c.Model == g.Model })
	if at < 0 {
		at, all = len(all), append(all, GeneratorCount{g.Family, g.Model, 0})
	}
	all[at].Rows++
	return all
}

// dataFiles are the files with rows, as they are or will be written.
func (s *Set) dataFiles() ([]File, error) {
	files := []File{
		{instancesFile, digestText(jsonl(s.Instances)), len(s.Instances)},
		{signalsFile, digestText(jsonl(s.Signals)), len(s.Signals)},
	}
	names := []string{reviewsFile, dropsFile, toolsFile}
	for _, reviewer := range slices.Sorted(maps.Keys(s.journals)) {
		if s.journals[reviewer].Kind != "" { // one in which nothing is said may come and go
			names = append(names, JournalFolder+"/"+reviewer+journalEnding)
		}
	}
	for _, name := range names {
		text, err := s.textOf(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows := strings.Count(string(text), "\n")
		if name == toolsFile {
			rows = len(s.Tools.Tools)
		}
		files = append(files, File{name, digestText(text), rows})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// textOf returns a file as it is, or as Write will leave it.
func (s *Set) textOf(name string) ([]byte, error) {
	text, err := readFile(s.dir, name)
	if name != dropsFile || len(s.dropped) == 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	return append(text, jsonl(s.dropped)...), nil
}

// texts are the Markdown files of a folder.
func (s *Set) texts(folder string) (files []File, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		text, err := readFile(s.dir, filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, File{folder + "/" + e.Name(), digestText(text), 0})
	}
	return files, err
}

// files checks that the manifest says of rows and files what they are.
func (c *checker) files() {
	report := func(path, format string, args ...any) {
		c.found = append(c.found, Finding{manifestFile, 1, "", "schema", path, fmt.Sprintf(format, args...)})
	}
	said := c.set.Manifest
	is, err := c.set.describe()
	if err != nil {
		report("", "a file cannot be read: %v", err)
		return
	}
	for _, part := range []struct {
		name     string
		said, is any
	}{
		{"counts", said.Counts, is.Counts}, {"splits", said.Splits, is.Splits}, {"files", said.Files, is.Files},
		{"dataset_digest", said.DatasetDigest, is.DatasetDigest}, {"policies", said.Policies, is.Policies}, {"prompts", said.Prompts, is.Prompts},
		{"tool_catalogue", said.ToolCatalogue, is.ToolCatalogue}, {"generators", said.Generators, is.Generators},
		{"thresholds", said.Thresholds, is.Thresholds}, {"review", said.Review, is.Review}, {"controls", said.Controls, is.Controls},
	} {
		if got, want := canonical(part.said), canonical(part.is); !got.Equal(want) {
			report("/"+part.name, "says %s, but rows and files give %s", got.Canonical(), want.Canonical())
		}
	}
	if said.License != License {
		report("/license", "%q, not %s", said.License, License)
	}
	for _, control := range is.Controls {
		if !control.Holds {
			c.found = append(c.found, Finding{manifestFile, 1, "", "shortcut", "/controls", fmt.Sprintf("%s: accuracy %s, triples %s, longer %s; %s", control.Name, control.Accuracy, control.Triples, control.Longer, control.Bound)})
		}
	}
}
