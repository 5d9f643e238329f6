package archive

import (
	"encoding/json"
	"net/http"
	"sort"
)

// Entry is one document in the list.
type Entry struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Pages int    `json:"pages"`
}

// Index answers with the list, sorted by title.
func Index(entries []Entry) http.HandlerFunc {
	sorted := append([]Entry(nil), entries...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Title < sorted[j].Title })
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(sorted); err != nil {
			http.Error(w, "the list is not ready", http.StatusInternalServerError)
		}
	}
}
