package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// Files returns the files of the report by their names: report.html, report.md with
// charts/*.svg, report.json, and, if tables are wanted, tables.tex and csv/*.csv. It is
// an error if the report does not add up.
func (r *Report) Files() (map[string][]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("the report does not add up: %w", err)
	}
	html, err := r.HTML()
	if err != nil {
		return nil, err
	}
	var numbers bytes.Buffer
	e := json.NewEncoder(&numbers)
	e.SetIndent("", "  ")
	if err := e.Encode(r.Numbers()); err != nil {
		return nil, fmt.Errorf("writing the numbers: %w", err)
	}
	files := map[string][]byte{"report.html": html, "report.md": r.Markdown(), "report.json": numbers.Bytes()}
	if r.TableFiles {
		files["tables.tex"] = r.latex()
		tables, err := r.csvFiles()
		if err != nil {
			return nil, err
		}
		maps.Copy(files, tables)
	}
	for _, s := range r.page().Sections {
		for _, d := range s.Charts {
			if files["charts/"+d.ID+".svg"], err = d.SVG(); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// Write writes the files of the report below dir, which is made if need be.
func (r *Report) Write(dir string) error {
	files, err := r.Files()
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
