// Package doors counts who comes in.
package doors

import (
	"net/http"
	"strconv"
)

// Hook takes in what the counters send.
type Hook struct {
	Tally *Tally
	Token string // that every counter was set up with
}

// ServeHTTP takes one count.
func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "counts are posted", http.StatusMethodNotAllowed)
		return
	}
	if !h.knows(r.Header.Get("X-Counter-Token")) {
		http.Error(w, "unknown counter", http.StatusForbidden)
		return
	}
	n, err := strconv.Atoi(r.FormValue("people"))
	if err != nil || n < 0 {
		http.Error(w, "how many people?", http.StatusBadRequest)
		return
	}
	h.Tally.Add(doorOf(r), n)
}

// knows says whether a token is that of the counters. Without one nobody is let in.
func (h *Hook) knows(token string) bool {
	return h.Token != "" && token == h.Token
}

// doorOf names the door that a count is from.
func doorOf(r *http.Request) string {
	if door := r.FormValue("door"); door != "" {
		return door
	}
	return "main"
}
