package doors

import (
	"encoding/json"
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
)

// recordsPerCall is more than one call ever writes.
const recordsPerCall = 100

// decision is what a record says of a call (docs/spec/evidence.md).
type decision struct {
	id      string
	Verdict authz.Verdict  `json:"verdict"`
	Reasons []authz.Reason `json:"reasons"`
	Ticket  string         `json:"ticket"`
}

func parseDecision(r evidence.Record) (d decision, err error) {
	if err := json.Unmarshal(r.Body, &d); err != nil {
		return d, fmt.Errorf("reading record %s: %w", r.ID, err)
	}
	d.id = r.ID
	return d, nil
}
