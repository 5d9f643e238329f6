package visit

import "net/http"

// cookie is the name under which a terminal shows its visit.
const cookie = "visit"

// Desk answers the routes of the terminals.
type Desk struct {
	Visits *Visits
	Knows  func(reader, code string) bool
}

// Enter lets a reader in who knows the code of the card.
func (d *Desk) Enter(w http.ResponseWriter, r *http.Request) {
	reader := r.PostFormValue("reader")
	if !d.Knows(reader, r.PostFormValue("code")) {
		http.Error(w, "wrong card or code", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: d.Visits.Enter(reader), Path: "/",
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
}

// Wish sends what a reader who is in wants.
func (d *Desk) Wish(w http.ResponseWriter, r *http.Request) {
	shown, err := r.Cookie(cookie)
	if err != nil {
		http.Error(w, "nobody is in", http.StatusForbidden)
		return
	}
	visit, ok := d.Visits.Who(shown.Value)
	if !ok {
		http.Error(w, "nobody is in", http.StatusForbidden)
		return
	}
	if err := d.Visits.Ask(r.Context(), Wish{visit.Reader, r.PostFormValue("shelf")}); err != nil {
		http.Error(w, "the stacks do not answer", http.StatusBadGateway)
	}
}
