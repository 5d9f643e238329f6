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
	p, t := 0, 0
	star, tried := -1, 0 // the last star, and where what is behind it was tried
	for t < len(title) && a.Steps <= Patience {
		a.Steps++
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, tried = p, t
			p++
		case p < len(pattern) && pattern[p] == title[t]:
			p, t = p+1, t+1
		case star >= 0:
			tried++
			p, t = star+1, tried
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
