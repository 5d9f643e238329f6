package conf

import (
	"maps"
	"slices"
	"strings"
)

// Write writes settings, sorted by name.
func Write(settings map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		text.WriteString(name + ": " + settings[name] + "\n")
	}
	return text.String()
}
