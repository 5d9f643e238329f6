// Package redacttest has the forms in which tests hide what must be found.
package redacttest

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Disguises are forms in which a value must be found, by name.
var Disguises = map[string]func(string) string{
	"raw":           func(s string) string { return "x" + s + "y" },
	"JSON":          func(s string) string { b, _ := json.Marshal("a " + strings.ToValidUTF8(s, "?")); return string(b) },
	"JSON, all":     func(s string) string { return each(s, `\u%04x`) },
	"hex":           func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":           func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex, odd":      func(s string) string { return "f" + hex.EncodeToString([]byte(s)) },
	"hex, blanks":   func(s string) string { return each(s, "%02x ") },
	"hex, colons":   func(s string) string { return each(s, "%02x:") },
	"hex, 0x":       func(s string) string { return each(s, "0x%02x, ") },
	`hex, \x`:       func(s string) string { return each(s, `\x%02x`) },
	"base64, 0":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, 1":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("1" + s + "1")) },
	"base64, 2":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("12" + s + "12")) },
	"base64, glued": func(s string) string { return "abc" + base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64url, 0":  func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s + "\xff")) },
	"base64url, 1":  func(s string) string { return base64.URLEncoding.EncodeToString([]byte("\xff" + s)) },
	"base64url, 2":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("\xfb\xff" + s)) },
	"base64, lines": func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(s)), 20, "\n") },
	"base64, MIME":  func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(mail+s)), 76, "\r\n") },
	"base64, YAML": func(s string) string {
		return lines(base64.StdEncoding.EncodeToString([]byte("1"+s)), 16, "\n        ")
	},
	"base64url, tab": func(s string) string { return lines(base64.URLEncoding.EncodeToString([]byte("\xff"+s)), 18, "\r\n\t") },
	"hex, lines":     func(s string) string { return lines(hex.EncodeToString([]byte(s)), 15, "\r\n    ") },
	"hex, dumped":    func(s string) string { return lines(each(s, "%02X "), 24, "\n\t\t\t") },
	"percent":        func(s string) string { return url.QueryEscape(s) },
	"percent, all":   func(s string) string { return each(s, "%%%02X") },
	"backwards":      func(s string) string { b := []byte(s); slices.Reverse(b); return string(b) },
	"blanks between": func(s string) string { return split(s, " ") },
	"dots between":   func(s string) string { return split(s, ".") },
	"dashes between": func(s string) string { return split(s, " - ") },
}

// mail has so many bytes that a line break of MIME stands in what follows.
const mail = "Here is what was asked for, with best wishes: "

// lines breaks a text into lines of so many letters.
func lines(s string, letters int, end string) string {
	var all []string
	for part := range slices.Chunk([]byte(s), letters) {
		all = append(all, string(part))
	}
	return strings.Join(all, end)
}

func each(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func split(s, with string) string {
	var parts []string
	for i := range len(s) {
		parts = append(parts, s[i:i+1])
	}
	return strings.Join(parts, with)
}
