package calibrate

import (
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema names the form of a file of maps.
const Schema = "licet.authgate.calibration/1"

// File is a set of maps, learned on one split of a data set.
type File struct {
	Schema  string  `json:"schema"`
	Dataset string  `json:"dataset"` // digest
	Split   string  `json:"split"`
	Scoring string  `json:"scoring"` // raw or checked
	Maps    []Entry `json:"maps"`
	Digest  string  `json:"digest"` // of all else: SHA-256 over the canonical JSON
}

// Entry is the map of one policy, judge and source.
type Entry struct {
	Policy string `json:"policy"`
	Model  string `json:"model"`
	Source string `json:"source"`
	Points int    `json:"points"`
	Map    Map    `json:"map"`
}

// Bytes returns the file, with its digest.
func (f File) Bytes() ([]byte, error) {
	f.Schema = Schema
	var err error
	if f.Digest, err = f.digest(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(f, jsontext.Multiline(true))
	if err != nil {
		return nil, fmt.Errorf("writing a calibration: %w", err)
	}
	return append(text, '\n'), nil
}

func (f File) digest() (string, error) {
	f.Digest = ""
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("writing a calibration: %w", err)
	}
	canonical := jsontext.Value(text)
	if err := canonical.Canonicalize(); err != nil { // RFC 8785
		return "", fmt.Errorf("writing a calibration: %w", err)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical)), nil
}

// Read reads a file. It is an error if its digest is not that of what it says.
func Read(text []byte) (File, error) {
	var f File
	if err := json.Unmarshal(text, &f, json.RejectUnknownMembers(true)); err != nil {
		return f, fmt.Errorf("reading a calibration: %w", err)
	}
	if f.Schema != Schema {
		return f, fmt.Errorf("reading a calibration: the schema is %q, not %q", f.Schema, Schema)
	}
	digest, err := f.digest()
	if err != nil {
		return f, err
	}
	if digest != f.Digest {
		return f, fmt.Errorf("reading a calibration: its digest is %s, and it states %s", digest, f.Digest)
	}
	seen := map[[3]string]bool{}
	for _, e := range f.Maps {
		key := [3]string{e.Policy, e.Model, e.Source}
		if seen[key] {
			return f, fmt.Errorf("reading a calibration: %s under %s stands twice", e.Model, e.Policy)
		}
		seen[key] = true
		if err := e.Map.check(); err != nil {
			return f, fmt.Errorf("reading a calibration: %s under %s: %w", e.Model, e.Policy, err)
		}
	}
	return f, nil
}

// Of returns the map of a policy, a judge and a source, and whether there is one.
func (f File) Of(policy, model, source string) (Map, bool) {
	for _, e := range f.Maps {
		if e.Policy == policy && e.Model == model && e.Source == source {
			return e.Map, true
		}
	}
	return Map{}, false
}
