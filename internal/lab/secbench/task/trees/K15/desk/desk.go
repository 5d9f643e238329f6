// Package desk reads the manifests of displays.
package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Desk is the manifest of one display.
type Desk struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Columns   int      `json:"columns"`
	Languages []string `json:"languages"`
	Lamps     Lamps    `json:"lamps"`
	Opens     string   `json:"opens"`
	Closes    string   `json:"closes"`
}

// Lamps are those above a display.
type Lamps struct {
	Count      int  `json:"count"`
	Warm       bool `json:"warm"`
	OffMinutes int  `json:"off_minutes"` // 0 = the manifest lacks it
}

// Read reads a manifest. What it does not know is an error.
func Read(text []byte) (d Desk, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return d, fmt.Errorf("reading a manifest: %w", err)
	}
	return d, nil
}
