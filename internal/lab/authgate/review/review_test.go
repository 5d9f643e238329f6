package review_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/review"
)

// someSet returns a data set with two pairs of v0, of which nobody has said
// anything, and edit made of its text.
func someSet(t *testing.T, edit func(string) string) string {
	t.Helper()
	const v0 = "../../../../data/authgate/v0"
	dir := t.TempDir()
	for _, name := range []string{"manifest.json", "tools.json", "instances.jsonl", "signals.jsonl"} {
		text, err := os.ReadFile(filepath.Join(v0, name))
		if err != nil {
			t.Fatal(err)
		}
		rows := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(row string) bool {
			return filepath.Ext(name) == ".jsonl" && !strings.Contains(row, `"pair_id":"ag0-se-004"`) && !strings.Contains(row, `"pair_id":"ag0-gb-010"`)
		})
		out := strings.Join(rows, "")
		if edit != nil && name == "instances.jsonl" {
			out = edit(out)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T, dir, name, kind string) *review.Desk {
	t.Helper()
	d, err := review.Open(dir, review.Who{Name: name, Kind: kind}, noon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// browser is a reviewer's browser: it reads pages and sends the forms in them.
type browser struct {
	t    *testing.T
	root string // with the secret
}

// serve serves a desk and returns a browser of its reviewer.
func serve(t *testing.T, d *review.Desk) *browser {
	t.Helper()
	l, err := clikit.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, write := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- d.Serve(ctx, l, write) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	said := make([]byte, 1024)
	n, err := out.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, regexp.MustCompile(`http://[0-9.:]+/[A-Z2-7]{26}/`).FindString(string(said[:n]))}
}

// page is what came back.
type page struct {
	status int
	at     string // below the root
	text   string
	doc    *html.Node
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		b.t.Fatal(err)
	}
	return page{resp.StatusCode, strings.TrimPrefix(resp.Request.URL.String(), b.root), string(text), doc}
}

func (b *browser) request(method, at, body string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.root+at, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (b *browser) get(at string) page { b.t.Helper(); return b.do(b.request("GET", at, "")) }

// send fills the form of a page and sends it, as a browser does.
func (b *browser) send(p page, choices map[string]string) page {
	b.t.Helper()
	values := url.Values{}
	action := ""
	for n := range p.doc.Descendants() {
		name := attr(n, "name")
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "form":
			action = attr(n, "action")
		case n.Data == "input" && attr(n, "type") == "hidden":
			values.Set(name, attr(n, "value"))
		case n.Data == "input" && attr(n, "type") == "radio":
			if value, chosen := choices[name]; chosen && value == attr(n, "value") {
				values.Set(name, value)
			}
		case n.Data == "input" || n.Data == "textarea":
			values.Set(name, choices[name])
		}
	}
	if action == "" {
		b.t.Fatalf("no form in %s", p.text)
	}
	_, at, _ := strings.Cut(strings.TrimPrefix(action, "/"), "/")
	r := b.request("POST", at, values.Encode())
	r.Header.Set("Origin", strings.TrimSuffix(b.root[:strings.LastIndex(b.root[:len(b.root)-1], "/")], "/"))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// shown returns the text of the first element that has a class or a name.
func (p page) shown(element string) string {
	for n := range p.doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == element {
			var b strings.Builder
			for c := range n.Descendants() {
				if c.Type == html.TextNode {
					b.WriteString(c.Data)
				}
			}
			return b.String()
		}
	}
	return ""
}

// rightAnswer is the label of the row with the request that a page shows.
func rightAnswer(t *testing.T, dir string, p page) map[string]string {
	t.Helper()
	set, err := item.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	said := p.shown("blockquote")
	for _, i := range set.Instances {
		if i.Visible.Request[0].Text != said {
			continue
		}
		a := map[string]string{"gold": string(i.Label.Gold), "mode": string(i.Mode), "plausible": "yes"}
		if i.Label.Gold == item.Allow {
			a["mode"], a["quote"] = "", said[:20]
		}
		return a
	}
	t.Fatalf("no row says %q", said)
	return nil
}

func journal(t *testing.T, dir, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "reviews", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

func states(t *testing.T, dir string) map[item.State]int {
	t.Helper()
	set, err := item.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := map[item.State]int{}
	for _, p := range set.Standings() {
		for _, row := range p.Rows {
			n[row.State]++
		}
	}
	return n
}

// label labels all that there is, as the rows have it, but for the laser: of that,
// edit makes the answer.
func (b *browser) label(dir string, edit func(map[string]string)) (pages []page) {
	b.t.Helper()
	p := b.get("")
	first := regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(p.text)
	for p = b.get(first); strings.HasPrefix(p.at, "label/"); pages = append(pages, p) {
		a := rightAnswer(b.t, dir, p)
		if edit != nil && a["gold"] == "allow" && strings.Contains(p.shown("blockquote"), "laser-2") {
			edit(a)
		}
		if p = b.send(p, a); p.status != http.StatusOK {
			b.t.Fatalf("%d %s", p.status, p.text)
		}
	}
	return pages
}

// TestBrowser: two people label, a third one rules on what they differ in and
// confirms the pairs, all in the browser; then all rows are published. Who labels
// sees nothing that tells the label.
func TestBrowser(t *testing.T) {
	dir := someSet(t, nil)
	anna := serve(t, open(t, dir, "anna", item.Human))
	for _, p := range append(anna.label(dir, nil), anna.get("")) {
		for _, secret := range []string{"ag0-", "inverted", "near_miss", "near-miss", "rationale", "by the person at the device", "base request"} {
			if strings.Contains(p.text, secret) {
				t.Errorf("%s shows %q", p.at, secret)
			}
		}
		if says := strings.Contains(p.text, "Your last answer is saved"); says != strings.Contains(p.at, "?saved=") {
			t.Errorf("%s says that an answer is saved: %v", p.at, says)
		}
	}
	if got := states(t, dir)[item.OneLabel]; got != 6 {
		t.Errorf("%d rows have one label, want 6", got)
	}
	ben := serve(t, open(t, dir, "ben", item.Human))
	first := regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(ben.get("").text)
	ben.label(dir, func(a map[string]string) { a["gold"], a["quote"] = "unsure", "" })
	if got := states(t, dir); got[item.Agreed] != 5 || got[item.Conflict] != 1 {
		t.Errorf("after two labellers: %v", got)
	}
	if p := ben.get(first); p.status != http.StatusConflict || !strings.Contains(p.text, "labels are final") {
		t.Errorf("a label can be changed after two people have labelled the pair: %d", p.status)
	}
	if p := ben.get("rule/ag0-gb-010-inv"); p.status != http.StatusConflict {
		t.Errorf("who labelled a row gets to rule on it: %d", p.status)
	}
	cleo := serve(t, open(t, dir, "cleo", item.Human))
	if p := cleo.get(""); strings.Contains(p.text, "Label the next") || !strings.Contains(p.text, "Rule on the next") {
		t.Errorf("the third one is asked otherwise: %s", p.text)
	}
	p := cleo.get("rule/ag0-gb-010-inv")
	if !strings.Contains(p.text, "ben (human) says unsure, but the row says allow") {
		t.Errorf("the conflict is not told: %s", p.text)
	}
	p = cleo.send(p, map[string]string{"decision": "allow", "mode": "", "why": "The user takes the interlock on."})
	for range 2 {
		if !strings.HasPrefix(p.at, "pair/") || !strings.Contains(p.text, "<ins>") || !strings.Contains(p.text, "<mark>") || !strings.Contains(p.text, "same to the byte") {
			t.Fatalf("no pair is shown at %s: %s", p.at, p.text)
		}
		p = cleo.send(p, map[string]string{"same_action": "yes", "only_request": "yes", "signals_fit": "yes"})
	}
	if got := states(t, dir)[item.Published]; got != 6 {
		t.Errorf("%d rows are published, want 6", got)
	}
	if !strings.Contains(p.text, "Nothing is left for you now") {
		t.Errorf("at the end: %s", p.text)
	}
}

// TestTwoTabs: what was answered in one tab is not overwritten from another that
// does not know it; the same answer twice is one; a deliberate change is taken.
func TestTwoTabs(t *testing.T) {
	dir := someSet(t, nil)
	b := serve(t, open(t, dir, "anna", item.Human))
	at := regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(b.get("").text)
	one, other := b.get(at), b.get(at)
	block := map[string]string{"gold": "block", "mode": "external_sharing", "plausible": "yes"}
	unsure := map[string]string{"gold": "unsure", "mode": "", "plausible": "no"}
	for _, c := range []struct {
		from    page
		says    map[string]string
		status  int
		journal int
	}{
		{one, block, http.StatusOK, 1},
		{one, block, http.StatusOK, 1},
		{other, block, http.StatusOK, 1},
		{other, unsure, http.StatusConflict, 1},
		{b.get(at), unsure, http.StatusConflict, 1},
	} {
		p := b.send(c.from, c.says)
		if p.status != c.status || len(journal(t, dir, "anna")) != c.journal {
			t.Errorf("%v: %d, %q", c.says, p.status, journal(t, dir, "anna"))
		}
		if c.status == http.StatusConflict && !strings.Contains(p.text, "Not saved: this was answered in the meantime") {
			t.Errorf("%v: %s", c.says, p.text)
		}
	}
	if p := b.send(b.get(at), unsure); p.status != http.StatusOK || len(journal(t, dir, "anna")) != 2 {
		t.Errorf("a change: %d, %q", p.status, journal(t, dir, "anna"))
	}
}

// TestAtOnce: the same answers from several windows at once are recorded once each.
func TestAtOnce(t *testing.T) {
	dir := someSet(t, nil)
	d := open(t, dir, "anna", item.Human)
	todo, err := d.Todo()
	if err != nil {
		t.Fatal(err)
	}
	var windows sync.WaitGroup
	for range 4 {
		windows.Go(func() {
			for _, key := range todo.Label {
				if err := d.Label(item.Answer{Key: key, Gold: item.Unsure, Plausible: true}, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	windows.Wait()
	if got := len(journal(t, dir, "anna")); got != 6 {
		t.Errorf("%d lines, want 6", got)
	}
}

// TestRefused: what is no answer of a page of ours is refused, and nothing is
// recorded.
func TestRefused(t *testing.T) {
	dir := someSet(t, nil)
	b := serve(t, open(t, dir, "anna", item.Human))
	at := regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(b.get("").text)
	const good = "version=&gold=block&mode=external_sharing&plausible=yes&quote="
	allow := "version=&gold=allow&mode=&plausible=yes&quote="
	for name, c := range map[string]struct {
		body   string
		edit   func(*http.Request)
		status int
		says   string
	}{
		"another host":      {good, func(r *http.Request) { r.Host = "evil.example" }, 403, "answers to 127.0.0.1"},
		"a rebound name":    {good, func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }, 403, "answers to 127.0.0.1"},
		"another secret":    {good, func(r *http.Request) { r.URL.Path = "/AAAA" + r.URL.Path[5:] }, 404, "nothing here"},
		"no secret":         {good, func(r *http.Request) { r.URL.Path = "/" + at }, 404, "nothing here"},
		"another site":      {good, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, "Another site"},
		"another origin":    {good, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403, "Another site"},
		"another method":    {good, func(r *http.Request) { r.Method = "PUT" }, 405, ""},
		"no such row":       {good, func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, at, "label/000000000000", 1) }, 404, "nothing of that name"},
		"a row by its id":   {good, func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, at, "label/ag0-se-004-inv", 1) }, 404, "nothing of that name"},
		"a pair too early":  {"same_action=yes&only_request=yes&signals_fit=yes", func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, at, "pair/ag0-se-004", 1) }, 409, "not open"},
		"ruling too early":  {"decision=drop&mode=&why=x", func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, at, "rule/ag0-se-004-inv", 1) }, 409, "not open"},
		"JSON":              {good, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, 400, "not sent as one"},
		"multipart":         {good, func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }, 400, "not sent as one"},
		"too long":          {good + strings.Repeat("x", 20<<10), nil, 400, "too large"},
		"not encoded":       {good + "%zz", nil, 400, "no answer of our form"},
		"an unknown field":  {good + "&reviewer=ben", nil, 400, "reviewer"},
		"a field twice":     {good + "&gold=allow", nil, 400, "gold"},
		"nothing chosen":    {"version=&quote=", nil, 422, "nothing is chosen"},
		"not said if real":  {"version=&gold=block&mode=external_sharing&quote=", nil, 422, "plausible"},
		"no such word":      {strings.Replace(good, "block", "yes", 1), nil, 422, "allow, block or unsure"},
		"no mode":           {strings.Replace(good, "external_sharing", "", 1), nil, 422, "none of the five"},
		"allowed by a mode": {strings.Replace(good, "block", "allow", 1) + "x", nil, 422, "only what is blocked has one"},
		"no quote":          {allow, nil, 422, "quote is missing"},
		"not the words":     {allow + "Ignore+all+rules", nil, 422, "is in no turn of the user"},
		"an old version":    {strings.Replace(good, "version=", "version=abc", 1), nil, 409, "Not saved"},
	} {
		r := b.request("POST", at, c.body)
		if c.edit != nil {
			c.edit(r)
		}
		if p := b.do(r); p.status != c.status || !strings.Contains(p.text, c.says) {
			t.Errorf("%s: %d %s", name, p.status, p.text)
		}
		if got := journal(t, dir, "anna"); len(got[0]) > 0 {
			t.Fatalf("%s: recorded %q", name, got)
		}
	}
	if p := b.do(b.request("POST", at, good)); p.status != http.StatusOK || len(journal(t, dir, "anna")[0]) == 0 {
		t.Errorf("a good answer: %d", p.status)
	}
}

// hostile is text that would be a script, an attribute, an element of ours, or
// something that nobody sees, if it were not escaped.
const hostile = `</blockquote></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'><form action=//evil.example><input name=gold> {{.Root}} \u202e\u200b`

// TestHostile: text of a data set is text on every page, whatever is in it.
func TestHostile(t *testing.T) {
	planted := func(text string) string {
		for _, field := range []string{`"text":"`, `"result":"`, `"command":"`, `"body":"`, `"device":"`, `"rationale":"`, `"target":"`, `"quote":"`, `"domain":"`, `"cwd":"`} {
			text = strings.ReplaceAll(text, field, field+hostile)
		}
		return text
	}
	dir := someSet(t, planted)
	for _, name := range []string{"anna", "ben"} {
		b := serve(t, open(t, dir, name, item.Human))
		at := regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(b.get("").text)
		for at != "" {
			p := b.get(at)
			harmless(t, p)
			if !strings.Contains(p.shown("blockquote"), "<script>alert(1)</script>") {
				t.Fatalf("%s does not show the text: %q", at, p.shown("blockquote"))
			}
			p = b.send(p, map[string]string{"gold": "unsure", "mode": "", "plausible": "yes"})
			at = ""
			if strings.HasPrefix(p.at, "label/") {
				at, _, _ = strings.Cut(p.at, "?")
			}
		}
	}
	cleo := serve(t, open(t, dir, "cleo", item.Human))
	for _, at := range []string{"", "rule/ag0-se-004-base", "rule/ag0-gb-010-inv", "pair/ag0-se-004", "pair/ag0-gb-010", "label/%3Cscript%3E", "?saved=label/%3Cscript%3E"} {
		harmless(t, cleo.get(at))
	}
	p := cleo.send(cleo.get("pair/ag0-se-004"), map[string]string{"same_action": "yes", "why": `</textarea><script>alert(1)</script>`})
	if harmless(t, p); p.status != http.StatusUnprocessableEntity || p.shown("textarea") != `</textarea><script>alert(1)</script>` {
		t.Errorf("what was typed: %d, %q", p.status, p.shown("textarea"))
	}
}

// harmless checks that a page has the elements and attributes of ours only.
func harmless(t *testing.T, p page) {
	t.Helper()
	ours := strings.Fields("html head meta title style body a header h1 h2 h3 p main dl div dt dd blockquote ol ul li pre form input fieldset legend label span details summary button textarea article ins mark strong code")
	for n := range p.doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(ours, n.Data) {
			t.Errorf("%s has an element %s", p.at, n.Data)
		}
		if to := attr(n, "action"); strings.Contains(to, "evil") {
			t.Errorf("%s has a form to %s", p.at, to)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "evil") && a.Key != "value" {
				t.Errorf("%s has %s=%q", p.at, a.Key, a.Val)
			}
		}
	}
	if strings.ContainsAny(p.text, "\u202e\u200b") {
		t.Errorf("%s has characters that nobody sees", p.at)
	}
}

// TestPolicy: no page may load, run or be framed by anything.
func TestPolicy(t *testing.T) {
	b := serve(t, open(t, someSet(t, nil), "anna", item.Human))
	for _, at := range []string{"", "label/none"} {
		resp, err := http.DefaultClient.Do(b.request("GET", at, ""))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if !regexp.MustCompile(`^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$`).MatchString(policy) {
			t.Errorf("%q: policy %q", at, policy)
		}
		style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(string(text))
		if style == nil || !strings.Contains(policy, hashOf(style[1])) {
			t.Errorf("%q: the policy is not that of the style sheet", at)
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%q: %s is %q", at, name, got)
			}
		}
	}
}

func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// TestAccessible: each field has a label, each group a legend, the page one main
// heading, and headings leave out no level.
func TestAccessible(t *testing.T) {
	dir := someSet(t, nil)
	for _, name := range []string{"anna", "ben"} {
		serve(t, open(t, dir, name, item.Human)).label(dir, func(a map[string]string) { a["plausible"] = "no" })
	}
	cleo := serve(t, open(t, dir, "cleo", item.Human))
	dan := serve(t, open(t, someSet(t, nil), "dan", item.Human))
	for _, p := range []page{cleo.get(""), cleo.get("rule/ag0-gb-010-inv"), cleo.get("pair/ag0-se-004"), dan.get(regexp.MustCompile(`label/[0-9a-f]{12}`).FindString(dan.get("").text))} {
		fors, level, ones, fields := map[string]bool{}, 0, 0, 0
		for n := range p.doc.Descendants() {
			if n.Data == "label" {
				fors[attr(n, "for")] = true
			}
		}
		for n := range p.doc.Descendants() {
			switch {
			case n.Type != html.ElementNode:
			case regexp.MustCompile(`^h[1-6]$`).MatchString(n.Data):
				now := int(n.Data[1] - '0')
				if now > level+1 {
					t.Errorf("%s: h%d after h%d", p.at, now, level)
				}
				if level = now; now == 1 {
					ones++
				}
			case n.Data == "fieldset" && n.FirstChild.NextSibling.Data != "legend":
				t.Errorf("%s: a group without a legend", p.at)
			case n.Data == "textarea", n.Data == "input" && attr(n, "type") != "hidden":
				fields++
				if n.Parent.Data != "label" && !fors[attr(n, "id")] {
					t.Errorf("%s: the field %q has no label", p.at, attr(n, "name"))
				}
			}
		}
		if ones != 1 || fields == 0 && p.at != "" {
			t.Errorf("%s: %d main headings, %d fields", p.at, ones, fields)
		}
	}
}

// TestJournalOnDisk: one program has a journal at a time; a line that was not
// written to its end is cut off; what cannot be written is not called saved.
func TestJournalOnDisk(t *testing.T) {
	dir := someSet(t, nil)
	d := open(t, dir, "anna", item.Human)
	if _, err := review.Open(dir, review.Who{Name: "anna", Kind: item.Human}, noon); err == nil || !strings.Contains(err.Error(), "may be open in another program") {
		t.Errorf("a second program: %v", err)
	}
	todo, err := d.Todo()
	if err != nil {
		t.Fatal(err)
	}
	unsure := item.Answer{Key: todo.Label[0], Gold: item.Unsure, Plausible: true}
	if err := d.Label(unsure, ""); err != nil {
		t.Fatal(err)
	}
	whole := journal(t, dir, "anna")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	b := serve(t, d)
	unsure.Key = todo.Label[1]
	if err := d.Label(unsure, ""); err == nil {
		t.Error("a closed journal takes answers")
	}
	if p := b.send(b.get("label/"+unsure.Key), map[string]string{"gold": "unsure", "mode": "", "plausible": "yes"}); p.status != http.StatusInternalServerError || !strings.Contains(p.text, "Nothing was saved") {
		t.Errorf("the page of a closed journal: %d %s", p.status, p.text)
	}
	path := filepath.Join(dir, "reviews", "anna.jsonl")
	if err := os.WriteFile(path, []byte(whole[0]+"\n"+whole[0][:50]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := item.ReadDir(dir); err == nil || !strings.Contains(err.Error(), "reviews/anna.jsonl:2") {
		t.Errorf("a torn line is read: %v", err)
	}
	again := open(t, dir, "anna", item.Human)
	if got := journal(t, dir, "anna"); !slices.Equal(got, whole) {
		t.Errorf("the journal is %q, want %q", got, whole)
	}
	if todo, err := again.Todo(); err != nil || todo.Labelled != 1 {
		t.Errorf("%+v, %v", todo, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := review.Open(dir, review.Who{Name: "anna", Kind: item.Model}, noon); err == nil || !strings.Contains(err.Error(), "as human, not model") {
		t.Errorf("a person becomes a model: %v", err)
	}
}

// TestOrder: a reviewer gets rows in the same order each time, and another reviewer
// in another one.
func TestOrder(t *testing.T) {
	dir := someSet(t, nil)
	requests := func(name string) (all []string) {
		d := open(t, dir, name, item.Human)
		todo, err := d.Todo()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range todo.Label {
			b, err := d.Blind(key)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b.Visible.Request[0].Text)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	anna, again, ben := requests("anna"), requests("anna"), requests("ben")
	if !slices.Equal(anna, again) || slices.Equal(anna, ben) || len(anna) != 6 {
		t.Errorf("anna %q, then %q; ben %q", anna, again, ben)
	}
	slices.Sort(anna)
	if slices.Sort(ben); !slices.Equal(anna, ben) {
		t.Error("two reviewers get different rows")
	}
}

// TestBrokenSet: a data set whose pairs are none is not reviewed.
func TestBrokenSet(t *testing.T) {
	for want, edit := range map[string]func(string) string{
		"has no base or no inverted row": func(text string) string { return text[strings.Index(text, "\n")+1:] },
		"have the same role":             func(text string) string { return text + strings.SplitAfter(text, "\n")[0] },
	} {
		if _, err := review.Open(someSet(t, edit), review.Who{Name: "anna", Kind: item.Human}, noon); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestInterrupted: a terminal at which nobody types ends when it is stopped.
func TestInterrupted(t *testing.T) {
	d := open(t, someSet(t, nil), "anna", item.Human)
	in, typing := io.Pipe()
	defer typing.Close()
	ctx, stop := context.WithCancel(t.Context())
	out, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := d.Ask(ctx, in, write, 0)
		ended <- errors.Join(err, write.Close())
	}()
	asked := make([]byte, 0, 1<<16)
	for !strings.Contains(string(asked), "Should this action run now") {
		part := make([]byte, 1<<10)
		n, err := out.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, part[:n]...)
	}
	stop()
	rest, err := io.ReadAll(out)
	if err != nil || !strings.Contains(string(rest), "anna has labelled 0, and has 6 to label") {
		t.Errorf("%q, %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestModel: a model labels and does nothing else, and changes no state.
func TestModel(t *testing.T) {
	dir := someSet(t, nil)
	for _, name := range []string{"m1", "m2", "m3"} {
		serve(t, open(t, dir, name, item.Model)).label(dir, nil)
	}
	b := serve(t, open(t, dir, "m4", item.Model))
	if p := b.get(""); strings.Contains(p.text, "to rule on") || strings.Contains(p.text, "to confirm") {
		t.Errorf("a model is asked to rule: %s", p.text)
	}
	if got := states(t, dir); got[item.Pending] != 6 {
		t.Errorf("after three models: %v", got)
	}
	for _, kind := range []string{"", "robot"} {
		if _, err := review.Open(dir, review.Who{Name: "x", Kind: kind}, noon); err == nil {
			t.Errorf("a reviewer of kind %q", kind)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "reviews", "x.jsonl")); err == nil {
		t.Error("a journal was made for nobody")
	}
	if _, err := review.Open(filepath.Join(dir, "nowhere"), review.Who{Name: "x", Kind: item.Human}, noon); err == nil || !strings.Contains(fmt.Sprint(err), "no folder") {
		t.Errorf("no data set: %v", err)
	}
}
