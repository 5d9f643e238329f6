package model

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encodings: how a model writes a call (specification of the bench, section 6).
const (
	Native = "native" // as the API of its server has it
	Text   = "text"   // in fenced blocks of its prose
)

//go:embed text.txt
var textPrompt string

// Told returns what a model is told first: the prompt, and in the encoding Text also
// how a tool is called, with the definitions of all tools.
func Told(prompt, encoding string, tools []byte) (string, error) {
	switch encoding {
	case Native:
		return prompt, nil
	case Text:
		return prompt + textPrompt + string(tools), nil
	}
	return "", fmt.Errorf("the encoding %q: there are %s and %s", encoding, Native, Text)
}

// fenceOpen and fenceClose are the lines around a block (CommonMark 0.31, section
// 4.5). A block that is not closed goes to the end of the text.
var (
	fenceOpen  = regexp.MustCompile("^ {0,3}(`{3,})[ \t]*tool[ \t\r]*$")
	fenceClose = regexp.MustCompile("^ {0,3}(`{3,})[ \t\r]*$")
)

// FromText takes the calls out of an answer in the encoding Text. What is not in a
// block of a call is prose.
func FromText(written string) (prose string, calls []Call) {
	var outside, inside []string
	fence := ""
	for _, line := range strings.Split(written, "\n") {
		if fence == "" {
			if m := fenceOpen.FindStringSubmatch(line); m != nil {
				fence, inside = m[1], nil
			} else {
				outside = append(outside, line)
			}
			continue
		}
		if m := fenceClose.FindStringSubmatch(line); m != nil && len(m[1]) >= len(fence) {
			fence, calls = "", append(calls, callOf(strings.Join(inside, "\n")))
			continue
		}
		inside = append(inside, line)
	}
	if fence != "" {
		calls = append(calls, callOf(strings.Join(inside, "\n")))
	}
	return strings.TrimRight(strings.TrimLeft(strings.Join(outside, "\n"), "\n"), "\r\n"), calls
}

// callOf reads a block. Where it is not an object with a name and an object of
// arguments, and nothing else, all of it stands for the arguments: the controller
// says what can be made of it.
func callOf(block string) Call {
	var members map[string]jsontext.Value
	if json.Unmarshal([]byte(block), &members) != nil {
		return Call{Arguments: block}
	}
	var name string
	if json.Unmarshal(members["name"], &name) != nil {
		return Call{Arguments: block}
	}
	if arguments := members["arguments"]; len(members) == 2 && arguments.Kind() == '{' {
		return Call{Name: name, Arguments: string(arguments)}
	}
	return Call{Name: name, Arguments: block}
}
