// Package conf reads and writes settings.
package conf

import (
	"errors"
	"strings"
)

// Errors of settings.
var (
	ErrDuplicateKey = errors.New("a setting stands twice")
	ErrLine         = errors.New("that is no setting")
)

// Parse reads settings. Lines that are empty or begin with # are none.
func Parse(text string) (map[string]string, error) {
	settings := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, ErrLine
		}
		name = plain(name)
		if old, twice := settings[name]; twice && old != strings.TrimSpace(value) {
			return nil, ErrDuplicateKey
		}
		settings[name] = strings.TrimSpace(value)
	}
	return settings, nil
}

// plain returns a name as it is kept.
func plain(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}
