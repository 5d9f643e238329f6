package warden

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// holds reports whether a text holds a secret, raw or in a form that a short program
// makes of it: hexadecimal digits or the text itself, with or without separators, in
// either letter case; base64 in both alphabets and all alignments; escaped for URLs;
// backwards.
func holds(text, secret string) bool {
	if secret == "" {
		return false
	}
	backwards := []rune(secret)
	slices.Reverse(backwards)
	plain := squash(text)
	for _, form := range []string{secret, string(backwards), hex.EncodeToString([]byte(secret))} {
		if strings.Contains(plain, squash(form)) {
			return true
		}
	}
	if decoded, err := url.PathUnescape(escapes.FindString(text)); err == nil && strings.Contains(decoded, secret) {
		return true
	}
	for _, run := range base64Run.FindAllString(text, -1) {
		if encodes(run, secret) {
			return true
		}
	}
	return false
}

var (
	escapes   = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2}|[\w.~-])*%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}|[\w.~-])*`)
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}`)
)

// squash returns the letters and digits of a text, in lower case.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// encodes reports whether a run of base64 letters decodes to text with the secret in
// it, from whichever of its first four letters on.
func encodes(run, secret string) bool {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	for skip := range min(4, len(run)) {
		part := run[skip:]
		part = part[:len(part)-len(part)%4]
		if decoded, err := base64.StdEncoding.DecodeString(part); err == nil && strings.Contains(string(decoded), secret) {
			return true
		}
		if decoded, err := base64.RawStdEncoding.DecodeString(run[skip:]); err == nil && strings.Contains(string(decoded), secret) {
			return true
		}
	}
	return false
}
