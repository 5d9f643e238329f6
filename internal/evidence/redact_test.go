package evidence_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

func value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// The secrets are put together here so that no scanner takes this file for one.
var secretTexts = map[string]string{
	"AWS key id":     "AKIA" + "IOSFODNN7EXAMPLE",
	"GitHub token":   "ghp_" + strings.Repeat("a1", 18),
	"GitHub PAT":     "github_pat_" + strings.Repeat("b2", 20),
	"GitLab token":   "glpat-" + strings.Repeat("c3", 10),
	"Slack token":    "xoxb-" + "123456789012-abcdef",
	"Stripe key":     "sk_live_" + strings.Repeat("d4", 12),
	"model API key":  "sk-" + strings.Repeat("e5", 20),
	"Google key":     "AIza" + strings.Repeat("f6", 18),
	"npm token":      "npm_" + strings.Repeat("g7", 18),
	"JSON web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.c2ln",
	"bearer token":   "Bearer " + strings.Repeat("h8", 12),
	"URL password":   "postgres://user:" + "hunter2@db.example/x",
	"private key":    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
	"cut-off key":    "-----BEGIN PRIVATE KEY-----\nMIIE",
}

func TestRedactForms(t *testing.T) {
	for name, secret := range secretTexts {
		for _, v := range []toolcall.Value{
			toolcall.StringOf(secret),
			toolcall.StringOf("use " + secret + " for it"),
			toolcall.ArrayOf(toolcall.StringOf("x"), toolcall.StringOf(secret)),
			toolcall.ObjectOf(toolcall.Member{Name: "note", Value: toolcall.ArrayOf(toolcall.StringOf(secret))}),
		} {
			got, found := evidence.Redact(v)
			if !found || strings.Contains(got.Canonical(), secret[len(secret)/2:]) {
				t.Errorf("%s: %s became %s (found %v)", name, v.Canonical(), got.Canonical(), found)
			}
		}
		if line := evidence.Line("found " + secret); strings.Contains(line, secret[len(secret)/2:]) {
			t.Errorf("%s: a line keeps %q", name, line)
		}
	}
}

func TestRedactNames(t *testing.T) {
	for _, name := range []string{"password", "Password", "db_password", "api_key", "apiKey", "access-token", "client_secret", "Authorization", "token", "credentials"} {
		v := toolcall.ObjectOf(toolcall.Member{Name: name, Value: toolcall.StringOf("plain word")})
		if got, found := evidence.Redact(v); !found || strings.Contains(got.Canonical(), "plain word") {
			t.Errorf("the member %s is kept: %s", name, got.Canonical())
		}
	}
}

// TestRedactKeeps: what is no secret stays as it is, and says so.
func TestRedactKeeps(t *testing.T) {
	for _, text := range []string{
		`{"amount":5,"to":"DE89370400440532013000"}`, `{"tokens":5}`, `{"password":""}`, `{"password":null}`,
		`"https://example.org/path?q=a@b"`, `"the password is a secret"`, `"skate"`, `[1,true,null,{}]`, `"mailto:a@b.example"`,
	} {
		if got, found := evidence.Redact(value(t, text)); found || !got.Equal(value(t, text)) {
			t.Errorf("%s became %s (found %v)", text, got.Canonical(), found)
		}
	}
}

// TestRedactIsStable: what was redacted once has nothing left to redact.
func TestRedactIsStable(t *testing.T) {
	var secrets []string
	for _, s := range secretTexts {
		secrets = append(secrets, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom(secrets))).Draw(t, "parts")
		once, _ := evidence.Redact(toolcall.StringOf(strings.Join(parts, " ")))
		if twice, found := evidence.Redact(once); found {
			t.Errorf("%q is redacted again to %q", once.Text(), twice.Text())
		}
	})
}

func TestCut(t *testing.T) {
	long := strings.Repeat("ü", 3000)
	for name, tt := range map[string]struct {
		v        toolcall.Value
		atMost   int
		contains string
	}{
		"short":            {value(t, `{"a":1}`), 7, `{"a":1}`},
		"a long text":      {toolcall.StringOf(long), 2100, "3952 bytes left out"},
		"in an array":      {toolcall.ArrayOf(toolcall.StringOf(long), toolcall.StringOf("x")), 2110, `"x"`},
		"in an object":     {toolcall.ObjectOf(toolcall.Member{Name: "n", Value: toolcall.StringOf(long)}), 2110, `"n":`},
		"too many members": {value(t, "["+strings.Repeat("1,", 50_000)+"1]"), 40, "[100003 bytes left out]"},
	} {
		got := evidence.Cut(tt.v).Canonical()
		if len(got) > tt.atMost || !strings.Contains(got, tt.contains) {
			t.Errorf("%s: %d bytes, %.80s", name, len(got), got)
		}
	}
}
