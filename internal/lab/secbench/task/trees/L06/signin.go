package loans

import (
	"context"
	"net/http"
)

type readerKey struct{}

// Session says whose session a cookie stands for, "" for nobody's.
type Session interface {
	Who(cookie string) string
	Begin(name, password string) (cookie string, err error)
}

// signedIn lets in who has a session, and tells the page who it is.
func (d *Desk) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := ""
		if c, err := r.Cookie("desk"); err == nil {
			who = d.Sessions.Who(c.Value)
		}
		if who == "" {
			http.Redirect(w, r, "/signin", http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), readerKey{}, who)))
	})
}

// signIn begins a session.
func (d *Desk) signIn() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := d.Sessions.Begin(r.PostFormValue("name"), r.PostFormValue("password"))
		if err != nil {
			http.Error(w, "wrong name or password", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "desk", Value: cookie, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/loans/", http.StatusSeeOther)
	})
}
