package decide

import (
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Fits says whether what one grant takes of a limit still fits under its bound
// when used has been taken before. Decide asks it to answer early, and every
// store once more inside the transaction that takes.
func Fits(t authz.Take, used toolcall.Decimal) (bool, error) {
	amount, err := toolcall.ParseDecimal(t.Amount)
	if err != nil {
		return false, fmt.Errorf("amount of %s: %w", t.Counter, err)
	}
	bound, err := toolcall.ParseDecimal(t.Max)
	if err != nil {
		return false, fmt.Errorf("bound of %s: %w", t.Counter, err)
	}
	return amount.Sign() >= 0 && (t.Lifted || used.Add(amount).Cmp(bound) <= 0), nil
}

// Reached words, for operators, why a take does not fit.
func Reached(t authz.Take, used toolcall.Decimal) string {
	return fmt.Sprintf("%s of %s are used up, this call takes %s", used, t.Max, t.Amount)
}
