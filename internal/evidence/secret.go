package evidence

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// An agent writes the texts in which secrets are looked for, and whoever reads a
// record or approves a call must see what it does. So only what can be nothing
// but a secret is masked, in whatever a text dresses it up: no white space,
// quote, bracket, semicolon, pipe or dollar sign, nothing that reads as a path or
// a URL, and never the text around it.

// secretForms are the secrets that have a form of their own, as their issuers
// document it. Group 1 is the secret, or all where there are no groups. A form
// that is missing here is covered by `evidence.redact` of the contract.
var secretForms = []struct {
	kind   string
	hints  []string // one of these is in every match, in lower case; finding none is fast
	form   *regexp.Regexp
	secret func(string) bool // whether a match is one; nil is always
}{
	{"AWS key id", []string{"akia", "asia"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`), nil},
	{"GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`), nil},
	{"GitLab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), nil},
	{"Slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), nil},
	{"Stripe key", []string{"k_live", "k_test"}, regexp.MustCompile(`\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}`), nil},
	{"model API key", []string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`), nil},
	{"Google key", []string{"aiza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`), nil},
	{"npm token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}`), nil},
	{"JSON web token", []string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), nil},
	{"bearer token", []string{"bearer", "authorization"}, regexp.MustCompile(`(?i)\b(?:bearer|authorization: ?[a-z]+)\s+([a-z0-9][a-z0-9._~+/-]{15,}=*)`), opaque},
	{"basic credentials", []string{"basic"}, regexp.MustCompile(`(?i)\bbasic\s+([a-z0-9+/]{4,}={0,2})`), basicPair},
	{"header", []string{"authorization", "api-key", "-token"}, regexp.MustCompile(`(?i)(?:-h|--header)(?:[ =]|",\s*")?\\?["']?` +
		`(?:(?:proxy-)?authorization:\s*(?:[a-z][a-z0-9-]* +)?|(?:x-)?(?:api-key|auth-token|vault-token|private-token):\s*)([a-z0-9_%+=!^*:~-][a-z0-9._~%+/=@!^*:-]*)`), headerValue},
	{"URL password", []string{"://"}, regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/:@?#]*:([a-z0-9._~%!*+=^-]+)@[a-z0-9\[]`), nil},
}

// A private key is masked line by line: the lines after its first one, with
// headers (RFC 1421) between, that are long and opaque. Line breaks may be
// escaped.
var (
	keyBlock = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----` +
		`(?:(?:\s|\\[nr])+[A-Za-z-]+: [^\r\n\\]*)*(?:(?:\s|\\[nr])+[A-Za-z0-9+/]{20,}={0,2})+`)
	keyLine = regexp.MustCompile(`[A-Za-z0-9+/]{20,}={0,2}`)
)

func mask(kind string) string { return "[" + maskStart + kind + "]" }

const maskStart = "secret: "

// maskSecrets returns s with the secrets in it replaced. Masked once, a text has
// nothing left to mask.
func maskSecrets(s string) string {
	s = keyBlock.ReplaceAllStringFunc(s, func(block string) string {
		return keyLine.ReplaceAllStringFunc(block, func(line string) string {
			if !opaque(line) {
				return line
			}
			return mask("private key")
		})
	})
	return maskNamed(maskOptions(maskForms(s)))
}

func maskForms(s string) string {
	lower := strings.ToLower(s)
	for _, f := range secretForms {
		if !slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(lower, h) }) {
			continue
		}
		var b strings.Builder
		kept := 0
		for _, m := range f.form.FindAllStringSubmatchIndex(s, -1) {
			start, end := m[len(m)-2], m[len(m)-1]
			if f.secret != nil && !f.secret(s[start:end]) {
				continue
			}
			b.WriteString(s[kept:start] + mask(f.kind))
			kept = end
		}
		s = b.String() + s[kept:]
	}
	return s
}

// opaque reports whether s is made of letters and digits as no word is, and as
// no path: one with a slash has letters of both cases.
func opaque(s string) bool {
	upper, lower := strings.IndexFunc(s, unicode.IsUpper) >= 0, strings.IndexFunc(s, unicode.IsLower) >= 0
	return strings.ContainsAny(s, "0123456789") && (upper && lower || (upper || lower) && !strings.Contains(s, "/"))
}

// headerValue reports whether s is the value of a header, and not the scheme before
// one, a path or an address.
func headerValue(s string) bool {
	scheme := slices.Contains([]string{"basic", "bearer", "digest", "token", "apikey", "negotiate"}, strings.ToLower(s))
	return !scheme && !strings.Contains(s, "://") && (!strings.Contains(s, "/") || opaque(s))
}

// basicPair reports whether s is a name and password as HTTP sends them (RFC 7617).
func basicPair(s string) bool {
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && strings.Contains(string(pair), ":") &&
		!strings.ContainsFunc(string(pair), func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// maskNamed masks what stands behind the name of a secret, as texts name values:
// in the environment and on command lines (NAME=x, --name=x), in queries
// (?name=x), as JSON ("name": "x") and in headers (name: x).
func maskNamed(s string) string {
	var b strings.Builder
	kept, valueEnd := 0, 0
	for from := 0; ; {
		i := strings.IndexAny(s[from:], ":=")
		if i < 0 {
			break
		}
		nameStart, nameEnd := nameBefore(s, from, from+i)
		name, start := s[nameStart:nameEnd], valueAfter(s, from+i)
		from = start
		masked := strings.HasSuffix(s[:nameStart], "[") && strings.HasPrefix(s[nameStart:], maskStart)
		if masked || !secretName(name) {
			continue
		}
		for valueEnd = max(valueEnd, start); valueEnd < len(s) && inValue(s[valueEnd]); valueEnd++ {
		}
		if !namedSecret(name, s[nameEnd:start], s[start:valueEnd], s[valueEnd:]) {
			continue
		}
		b.WriteString(s[kept:start] + mask(name))
		kept, from = valueEnd, valueEnd
	}
	return b.String() + s[kept:]
}

// nameBefore returns where the name before a sign stands: with up to two blanks
// and a quote, which may be escaped, between them.
func nameBefore(s string, from, sign int) (start, end int) {
	end = sign
	for end > from && end > sign-2 && (s[end-1] == ' ' || s[end-1] == '\t') {
		end--
	}
	for _, c := range []string{`"'`, `\`} {
		if end > from && strings.IndexByte(c, s[end-1]) >= 0 {
			end--
		}
	}
	for start = end; start > from && inNaming(s[start-1]); start-- {
	}
	return start, end
}

// valueAfter returns where the value behind a sign begins.
func valueAfter(s string, sign int) int {
	at := sign + 1
	for at < len(s) && at <= sign+2 && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	for _, c := range []string{`\`, `"'`} {
		if at < len(s) && strings.IndexByte(c, s[at]) >= 0 {
			at++
		}
	}
	return at
}

func inNaming(c byte) bool { return inValue(c) && strings.IndexByte("~%+/=@!^*:", c) < 0 }

func inValue(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("._~%+/=@!^*:-", c) >= 0
}

// namedSecret reports whether a value is a secret because of its name. In prose
// (name: value), and for what is just called a token, it must look like one.
func namedSecret(name, sign, value, behind string) bool {
	seen := value[:min(len(value), 256)]
	mustLook := bareName(name) == "token" || !strings.ContainsAny(sign, `="'`)
	switch {
	case value == "", strings.Contains(seen, "://"), strings.HasPrefix(strings.TrimLeft(behind, " \t"), "("):
		return false // nothing, a URL, a call of a function
	case strings.IndexByte("/.~", value[0]) >= 0 || mustLook:
		return len(value) >= 8 && opaque(seen)
	}
	return true
}

// secretEndings are the endings of names whose values are secrets whatever they
// look like; letter case, separators and a plural s do not count: dbPassword,
// AWS_SECRET_ACCESS_KEY, api-keys.
var secretEndings = []string{
	"password", "passwd", "pwd", "passphrase", "passcode",
	"secret", "token", "credential", "authorization", "cookie",
	"apikey", "accesskey", "secretkey", "privatekey", "signingkey", "encryptionkey", "masterkey", "accountkey",
	"dbpass", "userpass", "sshpass", "mysqlpass", "rootpass", "adminpass", "smtppass", "ftppass", "rediscliauth",
}

// noSecret are names with such an ending that hold none: marks of a place in a
// list or a text, and the directory before.
var noSecret = map[string]bool{
	"nexttoken": true, "pagetoken": true, "nextpagetoken": true, "continuationtoken": true, "paginationtoken": true,
	"starttoken": true, "startingtoken": true, "resumetoken": true, "synctoken": true, "cursortoken": true,
	"eostoken": true, "bostoken": true, "padtoken": true, "unktoken": true, "masktoken": true, "stoptoken": true,
	"oldpwd": true,
}

// secretName reports whether a member or variable of this name holds a secret.
// "tokens" counts them, and a masked name says what the name was, not the value.
func secretName(name string) bool {
	bare := bareName(name)
	if noSecret[bare] || strings.HasSuffix(bare, "tokens") || strings.HasPrefix(name, "["+maskStart) {
		return false
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(bare, ending) || strings.HasSuffix(bare, ending+"s") {
			return true
		}
	}
	return false
}

// bareName returns the letters and digits of a name, in lower case.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
