// Package resulttest writes results as tests compare them.
package resulttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Text returns a file of rows in the order of [result.Sort].
func Text(t testing.TB, rows []result.Row) string {
	t.Helper()
	rows = slices.Clone(rows)
	result.Sort(rows)
	var b strings.Builder
	for i := range rows {
		line, err := rows[i].Line()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
	}
	return b.String()
}
