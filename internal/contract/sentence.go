package contract

import (
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// sentences say what each constraint means; each continues a sentence that
// begins with the argument. `min` with `max`, and what stands beside other
// words, is said by [sentence] itself.
var sentences = map[string]func(operand toolcall.Value) string{
	"const":       func(v toolcall.Value) string { return "is " + v.Canonical() },
	"in":          func(v toolcall.Value) string { return "is " + oneOfValues(list(v)) },
	"not_in":      func(v toolcall.Value) string { return "is not " + oneOfValues(list(v)) },
	"min":         func(v toolcall.Value) string { return "is at least " + v.Canonical() },
	"max":         func(v toolcall.Value) string { return "is at most " + v.Canonical() },
	"multiple_of": func(v toolcall.Value) string { return "is a multiple of " + v.Canonical() },
	"length":      func(v toolcall.Value) string { return "has " + amount(v) + " characters" },
	"items":       func(v toolcall.Value) string { return "has " + amount(v) + " elements" },
	"pattern":     func(v toolcall.Value) string { return "matches " + v.Text() + " as a whole" },
	"path":        pathSentence,
	"from":        func(v toolcall.Value) string { return "was stated " + sourcesSentence(v) },
	"url":         urlSentence,
	"email":       emailSentence,
	"identifiers": identifiersSentence,
	"shell":       shellSentence,
	"sql":         sqlSentence,
}

// sentence says what the constraints on one argument mean together.
func sentence(constraints toolcall.Value) string {
	var parts []string
	for i := range constraints.Len() {
		word, operand := constraints.Member(i)
		low, high := constraints.Get("min"), constraints.Get("max")
		switch both := low.Kind() == toolcall.Number && high.Kind() == toolcall.Number; {
		case both && word == "max", word == "optional":
		case both && word == "min":
			parts = append(parts, "is from "+low.Canonical()+" to "+high.Canonical())
		default:
			parts = append(parts, sentences[word](operand))
		}
	}
	text := strings.Join(parts, " and ")
	if constraints.Get("optional").Bool() {
		return "is absent, or " + text
	}
	return text
}

// amount says {min, max} in words.
func amount(v toolcall.Value) string {
	low, high := v.Get("min"), v.Get("max")
	switch {
	case high.Kind() == toolcall.Absent:
		return "at least " + low.Canonical()
	case low.Equal(high):
		return "exactly " + low.Canonical()
	case low.Number().Sign() == 0:
		return "at most " + high.Canonical()
	}
	return low.Canonical() + " to " + high.Canonical()
}

// plainTexts lists texts without quotes.
func plainTexts(v toolcall.Value) string {
	var all []string
	for _, item := range list(v) {
		if item.Kind() == toolcall.String {
			all = append(all, item.Text())
		} else {
			all = append(all, item.Canonical())
		}
	}
	return yamlwalk.OneOf(all)
}

func pathSentence(v toolcall.Value) string {
	verb, patterns := "read", v.Get("read")
	if patterns.Kind() == toolcall.Absent {
		verb, patterns = "write", v.Get("write")
	}
	text := "leads to a file to " + verb + " under " + plainTexts(patterns)
	if base := v.Get("base").Text(); base != "" {
		text += ", counted from " + base
	}
	return text
}

func urlSentence(v toolcall.Value) string {
	text := "is a URL"
	if hosts := v.Get("hosts"); hosts.Kind() != toolcall.Absent {
		text += " of " + plainTexts(hosts)
	}
	text += " over https"
	if schemes := v.Get("schemes"); schemes.Kind() != toolcall.Absent {
		text = strings.TrimSuffix(text, "https") + plainTexts(schemes)
	}
	if ports := v.Get("ports"); ports.Kind() != toolcall.Absent {
		text += " at port " + plainTexts(ports)
	}
	if paths := v.Get("paths"); paths.Kind() != toolcall.Absent {
		text += ", below " + plainTexts(paths)
	}
	return text
}

func emailSentence(v toolcall.Value) string {
	var parts []string
	if domains := v.Get("domains"); domains.Kind() != toolcall.Absent {
		parts = append(parts, "addresses at "+plainTexts(domains))
	}
	if addresses := v.Get("addresses"); addresses.Kind() != toolcall.Absent {
		parts = append(parts, plainTexts(addresses))
	}
	return "names only " + strings.Join(parts, " or ")
}

func identifiersSentence(v toolcall.Value) string {
	text := "holds only addresses, links and numbers that were stated " + sourcesSentence(v.Get("from"))
	if patterns := v.Get("patterns"); patterns.Kind() != toolcall.Absent {
		text += ", and what matches " + plainTexts(patterns) + " counts as one"
	}
	return text
}

func shellSentence(v toolcall.Value) string {
	var parts []string
	for _, m := range []struct{ word, says string }{
		{"run", "it runs "}, {"opaque", "it may do anything within "}, {"read", "it reads "}, {"write", "it writes "}, {"net", "it talks to "},
	} {
		if entries := v.Get(m.word); entries.Kind() != toolcall.Absent {
			parts = append(parts, m.says+plainTexts(entries))
		}
	}
	return "is a command: " + strings.Join(parts, ", ")
}

func sqlSentence(v toolcall.Value) string {
	text := "is SQL for " + v.Get("dialect").Text()
	if statements := v.Get("statements"); statements.Kind() != toolcall.Absent {
		text += " of the class " + plainTexts(statements)
	} else {
		text += " that only reads"
	}
	if tables := v.Get("tables"); tables.Kind() != toolcall.Absent {
		text += ", of the tables " + plainTexts(tables)
	}
	return text
}

// sourcesSentence says where a value was stated.
func sourcesSentence(v toolcall.Value) string {
	var all []string
	for _, source := range list(v) {
		result, where := source.Get("result").Text(), source.Get("at")
		switch {
		case source.Text() != "":
			all = append(all, "by the user")
		case result != "" && where.Kind() != toolcall.Absent:
			all = append(all, "by a result of "+result+" at "+where.Text())
		case result != "":
			all = append(all, "anywhere in a result of "+result)
		case source.Get("claim").Text() != "":
			all = append(all, "by the user's claim "+source.Get("claim").Text())
		default:
			all = append(all, "here: "+oneOfValues(list(source.Get("literal"))))
		}
	}
	return yamlwalk.OneOf(all)
}

// signalSentence says what signals must be.
func signalSentence(v toolcall.Value) string {
	parts := make([]string, v.Len())
	for i := range parts {
		name, bounds := v.Member(i)
		collector, key, _ := strings.Cut(name, ".")
		for _, k := range constraint.SignalKeys(collector) {
			if k.Key == key {
				name += " (" + k.Says + ")"
			}
		}
		parts[i] = "the signal " + name + " " + sentence(bounds)
	}
	return strings.Join(parts, " and ")
}

// conditionSentence says what a condition on something else than an argument
// means.
func conditionSentence(word string, v toolcall.Value) string {
	switch word {
	case "$request":
		return "a user turn mentions " + plainTexts(v.Get("mentions"))
	case "$signal":
		return signalSentence(v)
	case "$when":
		return "the expression holds: " + v.Text()
	}
	var parts []string
	if called := v.Get("called"); called.Kind() != toolcall.Absent {
		parts = append(parts, plainTexts(called)+" was called in this session")
	}
	if not := v.Get("not_called"); not.Kind() != toolcall.Absent {
		parts = append(parts, plainTexts(not)+" was not called in this session")
	}
	if d := v.Get("distinct"); d.Kind() != toolcall.Absent {
		parts = append(parts, d.Get("argument").Text()+" of "+d.Get("tool").Text()+" has at most "+d.Get("max").Canonical()+" values in this session")
	}
	return strings.Join(parts, " and ")
}
