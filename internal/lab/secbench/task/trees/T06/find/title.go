// Package find looks for titles and shelf marks.
package find

import (
	"errors"
	"strings"
)

// ErrRequest says that a request is none.
var ErrRequest = errors.New("a request has a pattern and a title, and is short")

// Longest is how many bytes a request may have.
const Longest = 64

// Patience is how many steps a terminal waits for.
const Patience = 1_000_000

// Answer is what became of a request.
type Answer struct {
	Fits  bool
	Steps int
}

// Find answers a request.
func Find(request string) (Answer, error) {
	pattern, title, two := strings.Cut(request, "\n")
	if !two || len(request) > Longest {
		return Answer{}, ErrRequest
	}
	a := Answer{}
	a.Fits = a.fits(strings.ToLower(pattern), strings.ToLower(title))
	return a, nil
}

// fits holds a title against a pattern. It gives up when nobody waits any more.
func (a *Answer) fits(pattern, title string) bool {
	a.Steps++
	if a.Steps > Patience {
		return false
	}
	if pattern == "" {
		return title == ""
	}
	if strings.HasPrefix(pattern, "*") {
		return a.fits(pattern[1:], title) || title != "" && a.fits(pattern, title[1:])
	}
	return title != "" && pattern[0] == title[0] && a.fits(pattern[1:], title[1:])
}
