package loans

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
)

// Desk is the loans desk.
type Desk struct {
	Sessions Session
	Store    Store
	Style    embed.FS
}

// Store keeps loans and accounts.
type Store interface {
	Loans(overdue bool) []string
	Accounts() []string
	Remove(account string) error
}

// up says that the desk is up.
func (d *Desk) up() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "up") })
}

// style sends the style sheets.
func (d *Desk) style() http.Handler { return http.StripPrefix("/style/", http.FileServerFS(d.Style)) }

// loans lists what is out.
func (d *Desk) loans() http.Handler { return lines(func() []string { return d.Store.Loans(false) }) }

// overdue lists what should be back.
func (d *Desk) overdue() http.Handler { return lines(func() []string { return d.Store.Loans(true) }) }

// accounts lists who works here, and removes who has left.
func (d *Desk) accounts() http.Handler {
	list := lines(d.Store.Accounts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodDelete {
			list.ServeHTTP(w, r)
			return
		}
		if err := d.Store.Remove(strings.TrimPrefix(r.URL.Path, "/accounts/")); err != nil {
			http.Error(w, "no such account", http.StatusNotFound)
		}
	})
}

// lines is a page with a line for each text.
func lines(texts func() []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range texts() {
			fmt.Fprintln(w, text)
		}
	})
}
