package review

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/report"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"line":  callText,
	"json":  func(v any) string { return fmt.Sprintf("%s", v) },
	"modes": func() []mode { return modes },
}).Parse(pageText))

// maxForm bounds the body of an answer, in bytes. It holds the longest reason or
// quote in its longest encoding, and the rest of a form.
const maxForm = 16 << 10

// Serve shows the desk on l, until ctx ends, and prints to out where it is. Whoever
// knows that address answers as the reviewer; it has a secret in it.
func (d *Desk) Serve(ctx context.Context, l net.Listener, out io.Writer) error {
	secret, host := rand.Text(), strings.TrimSuffix(l.Addr().String(), ":80") // a browser leaves that out
	if _, err := fmt.Fprintf(out, "Open http://%s/%s/ in a browser on this machine. The address is yours alone: whoever has it answers as %s.\nCtrl-C ends; what the page calls saved is on disk.\n", host, secret, d.who.Name); err != nil {
		return err
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	server := &http.Server{
		Handler: d.handler(host, secret), Protocols: protocols, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 20 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve says how it ended
	defer stop()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// handler answers requests that come to host, as the browser has it, under the
// secret path.
func (d *Desk) handler(host, secret string) http.Handler {
	w := &web{desk: d, root: "/" + secret + "/"}
	mux := http.NewServeMux()
	for _, p := range []struct {
		pattern string
		does    func(http.ResponseWriter, *http.Request) error
	}{
		{"GET /{secret}/{$}", w.home},
		{"GET /{secret}/label/{name}", w.showLabel}, {"POST /{secret}/label/{name}", w.takeLabel},
		{"GET /{secret}/rule/{name}", w.showRule}, {"POST /{secret}/rule/{name}", w.takeRule},
		{"GET /{secret}/pair/{name}", w.showPair}, {"POST /{secret}/pair/{name}", w.takePair},
	} {
		mux.HandleFunc(p.pattern, func(out http.ResponseWriter, r *http.Request) {
			if err := p.does(out, r); err != nil {
				w.fail(out, err)
			}
		})
	}
	return guarded(mux, host, secret)
}

// guarded lets only requests through that a page of this server made, or somebody
// who was told its address: no other site (Fetch metadata and Origin), no name that
// was rebound to this machine (Host), nobody who does not know the secret.
func guarded(next http.Handler, host, secret string) http.Handler {
	own := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+report.StyleHash(style())+"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // with less, browsers send no Origin
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		given, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case r.Host != host:
			http.Error(w, "This server answers to "+host+" only.", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(given), []byte(secret)) != 1:
			http.Error(w, "There is nothing here. Open the address that the program printed.", http.StatusNotFound)
		case own.Check(r) != nil:
			http.Error(w, "Another site sent this. Nothing was saved.", http.StatusForbidden)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			next.ServeHTTP(w, r)
		}
	})
}

// style is the style sheet of the pages: that of reports, and what forms need.
func style() string { return report.StyleSheet() + pageStyle }

// web is the pages of a desk.
type web struct {
	desk *Desk
	root string // path under which all of them are
}

// view is what all pages have.
type view struct {
	Root, Title string
	Style       template.CSS
	Todo        Todo
	Problem     string // what went wrong
	Saved       string // what was answered just before, as a link
}

// write writes a page of the status.
func (w *web) write(out http.ResponseWriter, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	out.WriteHeader(status)
	_, _ = out.Write(report.Visible(b.Bytes())) // who does not read it any more has lost nothing
	return nil
}

// view returns what all pages have.
func (w *web) view(r *http.Request, title string) (view, error) {
	todo, err := w.desk.Todo()
	return view{Root: w.root, Title: title, Style: template.CSS(style()), Todo: todo, Saved: w.saved(r)}, err
}

// saved returns the path, below the root, of what the reviewer has just answered,
// if the journal has it.
func (w *web) saved(r *http.Request) string {
	kind, name, _ := strings.Cut(r.URL.Query().Get("saved"), "/")
	is := false
	switch kind {
	case "label":
		b, err := w.desk.Blind(name)
		is = err == nil && b.Mine != nil
	case "rule":
		c, err := w.desk.Conflict(name)
		is = err == nil && c.Mine != nil
	case "pair":
		p, err := w.desk.Pair(name)
		is = err == nil && p.Mine != nil
	}
	if !is {
		return ""
	}
	return kind + "/" + url.PathEscape(name)
}

// fail answers what went wrong.
func (w *web) fail(out http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, ErrClosed):
		status = http.StatusConflict
	case errors.As(err, new(*badForm)):
		status = http.StatusBadRequest
	}
	v := view{Root: w.root, Title: "That did not work", Style: template.CSS(style()), Problem: "Nothing was saved: " + err.Error()}
	if err := w.write(out, status, "failure", v); err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
	}
}

// next leads to what comes after an answer.
func (w *web) next(out http.ResponseWriter, r *http.Request, answered string) error {
	todo, err := w.desk.Todo()
	if err != nil {
		return err
	}
	to := ""
	switch {
	case len(todo.Label) > 0:
		to = "label/" + todo.Label[0]
	case len(todo.Rule) > 0:
		to = "rule/" + todo.Rule[0]
	case len(todo.Confirm) > 0:
		to = "pair/" + todo.Confirm[0]
	}
	out.Header().Del("Content-Type")
	http.Redirect(out, r, w.root+to+"?saved="+url.QueryEscape(answered), http.StatusSeeOther)
	return nil
}

// badForm is a request that no form of ours makes.
type badForm struct{ why string }

func (b *badForm) Error() string {
	return "this is no answer of our form: " + b.why
}

// form reads the fields of an answer: each at most once, and no other.
func form(r *http.Request, fields ...string) (map[string]string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, &badForm{"it is not sent as one"}
	}
	if err := r.ParseForm(); err != nil {
		return nil, &badForm{err.Error()}
	}
	said := map[string]string{}
	for name, values := range r.PostForm {
		if !slices.Contains(fields, name) || len(values) != 1 {
			return nil, &badForm{fmt.Sprintf("it has the field %q, or has it twice", name)}
		}
		said[name] = strings.TrimSpace(strings.ReplaceAll(values[0], "\r\n", "\n"))
	}
	return said, nil
}

// showForm writes a page with a form: a problem with the last answer, and what was
// said in it; nil is what the journal has.
type showForm func(out http.ResponseWriter, r *http.Request, status int, problem string, said map[string]string) error

// again shows a form once more, with what is wrong, if an answer was not taken.
func again(out http.ResponseWriter, r *http.Request, err error, said map[string]string, show showForm) error {
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		return show(out, r, http.StatusUnprocessableEntity, "Not saved: "+refused.Error(), said)
	case errors.Is(err, ErrChanged):
		return show(out, r, http.StatusConflict, "Not saved: "+err.Error(), nil)
	}
	return err
}

func (w *web) home(out http.ResponseWriter, r *http.Request) error {
	v, err := w.view(r, "Review")
	if err != nil {
		return err
	}
	return w.write(out, http.StatusOK, "home", struct {
		view
		Guidance string
	}{v, guidance})
}

// labelPage is a row to label. Said is what the form holds.
type labelPage struct {
	view
	Blind
	Guidance string
	Said     map[string]string
	Mode     modeField
}

// modeField is the part of a form that asks for the mode.
type modeField struct {
	Chosen string
	None   bool // chosen
}

func modeOf(said map[string]string) modeField {
	mode, chosen := said["mode"]
	return modeField{mode, chosen && mode == ""}
}

func (w *web) showLabel(out http.ResponseWriter, r *http.Request) error {
	return w.labelForm(out, r, http.StatusOK, "", nil)
}

func (w *web) labelForm(out http.ResponseWriter, r *http.Request, status int, problem string, said map[string]string) error {
	b, err := w.desk.Blind(r.PathValue("name"))
	if err != nil {
		return err
	}
	v, err := w.view(r, "Is this action authorized?")
	if err != nil {
		return err
	}
	v.Problem = problem
	if said == nil && b.Mine != nil {
		said = map[string]string{"gold": b.Mine.Gold, "mode": b.Mine.Mode, "plausible": yesNo(b.Mine.Plausible), "quote": b.Mine.Quote}
	}
	return w.write(out, status, "label", labelPage{v, b, guidance, said, modeOf(said)})
}

func (w *web) takeLabel(out http.ResponseWriter, r *http.Request) error {
	said, err := form(r, "version", "gold", "mode", "plausible", "quote")
	if err != nil {
		return err
	}
	a := item.Answer{Key: r.PathValue("name"), Gold: said["gold"], Mode: said["mode"], Plausible: said["plausible"] == "yes", Quote: said["quote"]}
	if err = complete(said, "gold", "mode", "plausible"); err == nil {
		err = w.desk.Label(a, said["version"])
	}
	if err == nil {
		return w.next(out, r, "label/"+a.Key)
	}
	return again(out, r, err, said, w.labelForm)
}

// complete: of each of the fields something was chosen.
func complete(said map[string]string, fields ...string) error {
	for _, f := range fields {
		if _, chosen := said[f]; !chosen {
			return &Refused{fmt.Errorf("nothing is chosen for %q", strings.ReplaceAll(f, "_", " "))}
		}
	}
	return nil
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// rulePage is a conflict to rule on.
type rulePage struct {
	view
	Conflict
	Guidance string
	Said     map[string]string
	Mode     modeField
}

func (w *web) showRule(out http.ResponseWriter, r *http.Request) error {
	return w.ruleForm(out, r, http.StatusOK, "", nil)
}

func (w *web) ruleForm(out http.ResponseWriter, r *http.Request, status int, problem string, said map[string]string) error {
	c, err := w.desk.Conflict(r.PathValue("name"))
	if err != nil {
		return err
	}
	v, err := w.view(r, "Which label stands?")
	if err != nil {
		return err
	}
	v.Problem = problem
	if said == nil && c.Mine != nil {
		said = map[string]string{"decision": c.Mine.Decision, "mode": c.Mine.Mode, "why": c.Mine.Why}
	}
	return w.write(out, status, "rule", rulePage{v, c, guidance, said, modeOf(said)})
}

func (w *web) takeRule(out http.ResponseWriter, r *http.Request) error {
	said, err := form(r, "version", "decision", "mode", "why")
	if err != nil {
		return err
	}
	ruling := item.Ruling{Instance: r.PathValue("name"), Decision: said["decision"], Mode: said["mode"], Why: said["why"]}
	if err = complete(said, "decision", "mode"); err == nil {
		err = w.desk.Rule(ruling, said["version"])
	}
	if err == nil {
		return w.next(out, r, "rule/"+ruling.Instance)
	}
	return again(out, r, err, said, w.ruleForm)
}

// pairPage is a pair to confirm.
type pairPage struct {
	view
	Pair
	Members []member
	Asked   []question
	Said    map[string]string
}

// member is a row of a pair beside the one that it is held against.
type member struct {
	*item.Standing
	Turns   [][]item.Piece
	Against item.Role
}

type question struct{ Name, Text, Said string }

func (w *web) showPair(out http.ResponseWriter, r *http.Request) error {
	return w.pairForm(out, r, http.StatusOK, "", nil)
}

func (w *web) pairForm(out http.ResponseWriter, r *http.Request, status int, problem string, said map[string]string) error {
	p, err := w.desk.Pair(r.PathValue("name"))
	if err != nil {
		return err
	}
	v, err := w.view(r, "Does this pair hold together?")
	if err != nil {
		return err
	}
	v.Problem = problem
	if said == nil && p.Mine != nil {
		said = map[string]string{"same_action": yesNo(p.Mine.SameAction), "only_request": yesNo(p.Mine.OnlyRequest), "signals_fit": yesNo(p.Mine.SignalsFit), "why": p.Mine.Why}
	}
	page := pairPage{view: v, Pair: p, Said: said}
	for _, row := range p.Rows {
		against := p.Inv
		if row.Role == item.Inverted {
			against = p.Base
		}
		m := member{Standing: row, Against: against.Role}
		for _, t := range row.Visible.Request {
			m.Turns = append(m.Turns, row.Pieces(t.Turn, against))
		}
		page.Members = append(page.Members, m)
	}
	for _, q := range questions {
		page.Asked = append(page.Asked, question{q.Name, q.Text, said[q.Name]})
	}
	return w.write(out, status, "pair", page)
}

func (w *web) takePair(out http.ResponseWriter, r *http.Request) error {
	said, err := form(r, "version", "same_action", "only_request", "signals_fit", "why")
	if err != nil {
		return err
	}
	c := item.Confirmation{Pair: r.PathValue("name"), SameAction: said["same_action"] == "yes", OnlyRequest: said["only_request"] == "yes", SignalsFit: said["signals_fit"] == "yes", Why: said["why"]}
	if err = complete(said, "same_action", "only_request", "signals_fit"); err == nil {
		err = w.desk.Confirm(c, said["version"])
	}
	if err == nil {
		return w.next(out, r, "pair/"+c.Pair)
	}
	return again(out, r, err, said, w.pairForm)
}
