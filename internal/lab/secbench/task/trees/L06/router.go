// Package loans has the web pages of the loans desk.
package loans

import (
	"log"
	"net/http"
	"time"
)

// Handler answers all pages of the desk.
func (d *Desk) Handler() http.Handler {
	r := newChain()
	r.use(timed)

	// TODO auth: the monitor has no account. It learns that the desk is up, no more.
	r.mount("/up", d.up())

	r.mount("/style/", d.style())
	r.mount("/signin", d.signIn())
	r.mount("/accounts/", d.accounts())

	r.use(d.signedIn)
	r.mount("/loans/", d.loans())
	r.mount("/overdue/", d.overdue())
	return r
}

// timed notes pages that took long.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next.ServeHTTP(w, r)
		if took := time.Since(begin); took > time.Second {
			log.Printf("%s took %s", r.URL.Path, took)
		}
	})
}
