package doors

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
)

// Desk takes corrections from the front desk.
type Desk struct {
	Tally *Tally
	Code  [sha256.Size]byte // hash of the code that is changed every morning
}

// ServeHTTP sets the sum of a door.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	code := sha256.Sum256([]byte(r.FormValue("code")))
	if subtle.ConstantTimeCompare(code[:], d.Code[:]) != 1 {
		http.Error(w, "wrong code", http.StatusForbidden)
		return
	}
	n, err := strconv.Atoi(r.FormValue("people"))
	if err != nil || n < 0 {
		http.Error(w, "how many people?", http.StatusBadRequest)
		return
	}
	d.Tally.Set(doorOf(r), n)
}
