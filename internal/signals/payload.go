package signals

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds of looking into files that leave.
const (
	maxPayload  = 8 << 20
	maxOneFile  = 1 << 20
	maxOutgoing = 1_000
)

// secretForms are forms of secrets. What is found is counted and never told.
var secretForms = []struct {
	class string
	form  *regexp.Regexp
}{
	{"private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`)},
	{"cloud key", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}`)},
	{"repository token", regexp.MustCompile(`\b(gh[pousr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|glpat-[0-9A-Za-z_-]{20,})`)},
	{"chat token", regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{10,}`)},
	{"API key", regexp.MustCompile(`\b(sk|rk|pk)[-_](live|test|ant|proj)?[-_]?[0-9A-Za-z]{20,}|\bnpm_[0-9A-Za-z]{30,}`)},
	{"web token", regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.`)},
	{"password in a URL", regexp.MustCompile(`[a-z][a-z0-9+.-]{1,20}://[^/\s:@]{1,64}:[^/\s:@]{3,}@`)},
	{"named secret", regexp.MustCompile(`(?i)\b[a-z_]*(password|passwd|secret|api_?key|access_?token|auth_?token)["']?\s*[:=]\s*["']?[^\s"'$<{]{8,}`)},
}

// Forms of personal data, and of words that say who owns a file.
var (
	mailForm    = regexp.MustCompile(`[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+`)
	accountForm = regexp.MustCompile(`\b[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}\b|\b[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}\b`)
	ownerForm   = regexp.MustCompile(`(?i)copyright|all rights reserved|confidential|proprietary|SPDX-License-Identifier`)
)

// payloadClass says what is in the files that leave.
func payloadClass(l *look) {
	p := payload{look: l, left: maxPayload, known: l.subject.whole && !l.subject.guessed && !l.subject.chooses(), secrets: map[string]int{}}
	for i, name := range l.subject.sent {
		if i == maxOutgoing || l.over() {
			p.known = l.miss("files that leave", errTooLarge)
			break
		}
		p.file(name)
	}
	if l.subject.guessed {
		l.unseen("a file that is read is not known")
	}
	if l.subject.chooses() {
		l.unseen("a command sends what it chooses by itself")
	}
	var secrets []string
	for class, n := range p.secrets {
		secrets = append(secrets, fmt.Sprintf("%s %d", class, n))
	}
	l.count("files", p.files, p.known)
	l.count("size_bytes", p.bytes, p.known)
	l.names("secret_patterns", secrets, p.known)
	l.count("personal_data", p.personal, p.known)
	l.flag("licence_header", p.owned, p.known)
}

// chooses reports whether a command may send more than the files that its words
// name: commits, packages, what it computes.
func (s *subject) chooses() bool {
	return s.opaque || slices.ContainsFunc(s.senders, func(c command) bool { return !c.is("curl", "wget", "scp", "rsync") })
}

type payload struct {
	*look
	left  int64
	known bool

	files, bytes, personal int
	secrets                map[string]int
	owned                  bool
}

func (p *payload) file(name string) {
	info, err := p.lstat(name)
	if err == nil && info.IsDir() {
		return // what lies in it is listed by itself
	}
	if err != nil {
		p.known = p.miss(name, err)
		return
	}
	p.files++
	p.bytes += int(info.Size())
	text, err := p.read(name, min(maxOneFile, max(p.left, 0)))
	if err != nil {
		p.known = p.miss(name, err)
		return
	}
	p.left -= int64(len(text))
	for _, s := range secretForms {
		if n := len(s.form.FindAllStringIndex(text, -1)); n > 0 {
			p.secrets[s.class] += n
		}
	}
	p.personal += len(mailForm.FindAllStringIndex(text, -1)) + len(accountForm.FindAllStringIndex(text, -1))
	p.owned = p.owned || ownerForm.MatchString(text[:min(len(text), 4096)])
}

// environmentWords are words in names that say which environment is meant.
var environmentWords = []struct {
	says  string
	words []string
}{
	{"production", []string{"prod", "production", "live", "prd"}},
	{"staging", []string{"staging", "stage", "stg", "preprod", "uat", "qa"}},
	{"development", []string{"dev", "development", "local", "localhost", "test", "testing", "sandbox"}},
}

// environmentOf returns which environment names speak of, the gravest first; ""
// if none does. A name is a hint and no more.
func environmentOf(names ...string) string {
	for _, e := range environmentWords {
		for _, name := range names {
			parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
			if slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(e.words, p) }) {
				return e.says
			}
		}
	}
	return ""
}
