// Package covers shows the covers of books.
package covers

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Covers hands covers on from the store.
type Covers struct {
	Client *http.Client
	Store  string // as in Store
}

// ServeHTTP sends the cover whose address the page has.
func (c *Covers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := r.FormValue("from")
	if !strings.HasPrefix(from, "https://"+c.Store) {
		http.Error(w, "no cover of ours", http.StatusBadRequest)
		return
	}
	where, err := url.Parse(from)
	if err != nil {
		http.Error(w, "no address", http.StatusBadRequest)
		return
	}
	where.Fragment = ""
	c.send(w, r, where)
}

// send fetches a picture and hands it on.
func (c *Covers) send(w http.ResponseWriter, r *http.Request, where *url.URL) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, where.String(), nil)
	if err != nil {
		http.Error(w, "no address", http.StatusBadRequest)
		return
	}
	answer, err := c.Client.Do(request)
	if err != nil {
		http.Error(w, "the store does not answer", http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", pictureType(answer.Header.Get("Content-Type")))
	_, _ = io.Copy(w, io.LimitReader(answer.Body, LargestCover))
}

// pictureType is the type of a picture that a page may show.
func pictureType(given string) string {
	if given == "image/jpeg" || given == "image/png" {
		return given
	}
	return "application/octet-stream"
}
