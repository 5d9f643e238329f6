// Package archive hands out the documents of the reading room.
package archive

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Archive is where the documents lie.
type Archive struct {
	Documents string
	Previews  string
}

// Download sends the document that the query names.
func (a Archive) Download(w http.ResponseWriter, r *http.Request) {
	base := a.Documents
	name := r.URL.Query().Get("name")
	if name == "" {
		http.Error(w, "which document?", http.StatusBadRequest)
		return
	}
	f, err := os.Open(filepath.Join(base, name))
	if err != nil {
		http.Error(w, "no such document", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", mediaType(name))
	sendBody(w, f)
}

// Preview sends the picture of a first page.
func (a Archive) Preview(w http.ResponseWriter, r *http.Request) {
	base := a.Previews
	page := filepath.Clean("/" + r.URL.Query().Get("page"))
	full := filepath.Join(base, page)
	if !strings.HasPrefix(full, base+string(filepath.Separator)) {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	f, err := os.Open(full)
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "image/png")
	sendBody(w, f)
}

// sendBody sends what is open. A client that went away is no failure of ours.
func sendBody(w http.ResponseWriter, f io.Reader) {
	_, _ = io.Copy(w, f)
}

// mediaType names the kind of a document by its ending.
func mediaType(document string) string {
	switch strings.ToLower(filepath.Ext(document)) {
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	case ".pdf":
		return "application/pdf"
	}
	return "application/octet-stream"
}
