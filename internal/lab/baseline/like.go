package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// cedarTexts write the constraints on texts with `like`, in which * stands for
// any characters.
var cedarTexts = map[string]func(p policy, operand toolcall.Value, v string, never bool) (string, bool){
	"pattern": likePattern,
	"path":    likePath,
	"url":     likeURL,
	"email":   likeEmail,
}

// like writes that v has a form: what stands between the parts is any text.
func like(v string, parts ...string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		text := cedarText(part)
		quoted[i] = strings.ReplaceAll(text[1:len(text)-1], "*", `\*`)
	}
	return fmt.Sprintf(`%s like "%s"`, v, strings.Join(quoted, "*"))
}

func either(all []string) string { return "(" + strings.Join(all, " || ") + ")" }

func both(all []string) string { return strings.Join(all, " && ") }

// plainPattern says of a character of an expression that it stands for itself.
func plainPattern(s string) bool { return !strings.ContainsAny(s, `\.+*?()|[]{}^$`) }

func likePattern(_ policy, operand toolcall.Value, v string, _ bool) (string, bool) {
	parts := strings.Split(operand.Text(), ".*")
	for _, part := range parts {
		if !plainPattern(part) {
			return "", false
		}
	}
	return like(v, parts...), true
}

func likePath(p policy, operand toolcall.Value, v string, never bool) (string, bool) {
	patterns, write := operand.Get("read"), false
	if patterns.Kind() == toolcall.Absent {
		patterns, write = operand.Get("write"), true
	}
	upwards := either([]string{like(v, "", "/../", ""), like(v, "", "/..")})
	var covers, excludes []string
	for _, pattern := range words(patterns) {
		full, excluded := strings.CutPrefix(p.expand(pattern), "!")
		text, ok := likeGlob(v, full, write && !excluded)
		switch {
		case !ok:
			return "", false
		case excluded:
			excludes = append(excludes, "!"+text)
		default:
			covers = append(covers, text)
		}
	}
	if never {
		return either(append(covers, upwards)), true
	}
	return both(append([]string{either(covers), "!" + upwards}, excludes...)), true
}

// likeGlob writes one pattern; it is false for a tree whose own name has a *,
// as that of `like` runs over slashes. In other patterns each * is told not to.
func likeGlob(v, pattern string, write bool) (string, bool) {
	tree, deep := strings.CutSuffix(pattern, "/**")
	parts := strings.Split(tree, "*")
	switch {
	case deep && len(parts) > 1:
		return "", false
	case deep && write:
		return "(" + like(v, tree+"/", "") + ")", true
	case deep:
		return either([]string{like(v, cmp.Or(tree, "/")), like(v, tree+"/", "")}), true
	}
	all := []string{like(v, parts...)}
	for i := 1; i < len(parts); i++ {
		all = append(all, "!("+like(v, slices.Insert(slices.Clone(parts), i, "/")...)+")")
	}
	return "(" + both(all) + ")", true
}

// likeURL writes the beginning of a URL up to its host. In front of a path there
// must be nothing but the host, so what could stand there is named.
func likeURL(_ policy, operand toolcall.Value, v string, never bool) (string, bool) {
	hosts := words(operand.Get("hosts"))
	if never || len(hosts) == 0 || operand.Get("ports").Kind() != toolcall.Absent {
		return "", false
	}
	schemes := []string{"https"}
	if list := operand.Get("schemes"); list.Kind() != toolcall.Absent {
		schemes = words(list)
	}
	paths := []string{""}
	if list := operand.Get("paths"); list.Kind() != toolcall.Absent {
		paths = words(list)
	}
	var all []string
	for _, scheme := range schemes {
		for _, host := range hosts {
			for _, path := range paths {
				all = append(all, likeHost(v, scheme+"://", host, path))
			}
		}
	}
	odd := either([]string{like(v, "", "@", ""), like(v, "", `\`, ""), like(v, "", "/..", ""), like(v, "", "%", ""), like(v, "", " ", "")})
	return both([]string{either(all), "!" + odd}), true
}

func likeHost(v, scheme, host, path string) string {
	begin := scheme + host + path
	if domain, wild := strings.CutPrefix(host, "*."); wild {
		end := "." + domain + path
		return both([]string{either([]string{like(v, scheme, end), like(v, scheme, end+"/", "")}),
			"!(" + like(v, scheme, "/", end, "") + ")", "!(" + like(v, scheme, "?", end, "") + ")", "!(" + like(v, scheme, "#", end, "") + ")"})
	}
	return either([]string{like(v, begin), like(v, begin+"/", ""), like(v, begin+"?", "")})
}

// likeEmail writes one address: what parts a list, or a name from its address,
// is refused.
func likeEmail(_ policy, operand toolcall.Value, v string, never bool) (string, bool) {
	var all []string
	for _, domain := range words(operand.Get("domains")) {
		domain, wild := strings.CutPrefix(domain, "*.")
		switch {
		case wild:
			all = append(all, like(v, "", "@", "."+domain))
		case never:
			all = append(all, like(v, "", "@"+domain, ""))
		default:
			all = append(all, like(v, "", "@"+domain))
		}
	}
	for _, address := range words(operand.Get("addresses")) {
		all = append(all, like(v, address))
	}
	if never {
		return either(all), true
	}
	odd := either([]string{like(v, "", "@", "@", ""), like(v, "", ",", ""), like(v, "", ";", ""), like(v, "", " ", ""), like(v, "", "<", ""), like(v, "", "%", ""), like(v, "", "!", "")})
	return both([]string{either(all), "!" + odd}), true
}
