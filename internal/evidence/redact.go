package evidence

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what evidence keeps of a call. The digest covers all of it.
const (
	maxText      = 2 << 10  // bytes of one text
	maxArguments = 64 << 10 // bytes of the canonical arguments
)

// secretForms are texts that grant access by themselves, by the forms that
// their issuers document. A form that is missing here is covered by
// `evidence.redact` of the contract.
var secretForms = []struct {
	kind string
	form *regexp.Regexp
}{
	{"private key", regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|\z)`)},
	{"AWS key id", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"GitHub token", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`)},
	{"GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`)},
	{"Slack token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"Stripe key", regexp.MustCompile(`\b[rs]k_(live|test)_[A-Za-z0-9]{10,}`)},
	{"model API key", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"Google key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`)},
	{"npm token", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}`)},
	{"JSON web token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{"bearer token", regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*`)},
	{"URL password", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@`)},
}

// secretNames are members whose text is a secret whatever it looks like.
var secretNames = regexp.MustCompile(`(?i)^(.*[_-])?(password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credentials?|client[_-]?secret|(access|refresh|auth|bearer|id)[_-]?token|token)$`)

// Redact returns v with every detected secret replaced by a word that says what
// kind it was, and whether there was one.
func Redact(v toolcall.Value) (toolcall.Value, bool) {
	switch v.Kind() {
	case toolcall.String:
		return redactText(v)
	case toolcall.Array:
		return redactArray(v)
	case toolcall.Object:
		return redactObject(v)
	}
	return v, false
}

func redactText(v toolcall.Value) (toolcall.Value, bool) {
	s := v.Text()
	for _, f := range secretForms {
		s = f.form.ReplaceAllLiteralString(s, "[secret: "+f.kind+"]")
	}
	if s == v.Text() {
		return v, false
	}
	return toolcall.StringOf(s), true
}

func redactArray(v toolcall.Value) (toolcall.Value, bool) {
	elems, found := make([]toolcall.Value, v.Len()), false
	for i := range elems {
		var hit bool
		elems[i], hit = Redact(v.Elem(i))
		found = found || hit
	}
	if !found {
		return v, false
	}
	return toolcall.ArrayOf(elems...), true
}

func redactObject(v toolcall.Value) (toolcall.Value, bool) {
	members, found := make([]toolcall.Member, v.Len()), false
	for i := range members {
		name, value := v.Member(i)
		kept, hit := Redact(value)
		if secretNames.MatchString(name) && value.Kind() == toolcall.String && value.Text() != "" {
			kept, hit = toolcall.StringOf("[secret: "+name+"]"), true
		}
		members[i], found = toolcall.Member{Name: name, Value: kept}, found || hit
	}
	if !found {
		return v, false
	}
	return toolcall.ObjectOf(members...), true
}

// Cut returns v with long texts shortened and, where it is still too large for
// a record, replaced by a note of its size. It never fails a call for its size.
func Cut(v toolcall.Value) toolcall.Value {
	size := len(v.AppendCanonical(nil))
	if size <= maxText {
		return v
	}
	if v = cutTexts(v); len(v.AppendCanonical(nil)) <= maxArguments {
		return v
	}
	return toolcall.StringOf(fmt.Sprintf("[%d bytes left out]", size))
}

func cutTexts(v toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		return toolcall.StringOf(cut(v.Text()))
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = cutTexts(v.Elem(i))
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, value := v.Member(i)
			members[i] = toolcall.Member{Name: name, Value: cutTexts(value)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + fmt.Sprintf("[… %d bytes left out]", len(s)-maxText)
}

// Line returns s as one text of a record: secrets replaced, bounded in length.
func Line(s string) string {
	v, _ := redactText(toolcall.StringOf(s))
	return cut(v.Text())
}
