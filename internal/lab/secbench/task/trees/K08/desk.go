// Package desk lends books and writes down what it does.
package desk

import "io"

// Desk is one desk.
type Desk struct {
	Number int
	Log    io.Writer
	limit  int
	lent   map[string]int
}

// New returns a desk at which a reader may have so many books.
func New(number, limit int, log io.Writer) *Desk {
	return &Desk{Number: number, Log: log, limit: limit, lent: map[string]int{}}
}

// Lend lends a book to a reader and reports whether it did.
func (d *Desk) Lend(reader string) bool {
	if d.lent[reader] >= d.limit {
		d.write(event{kind: refused, why: "limit"})
		return false
	}
	d.lent[reader]++
	d.write(event{kind: lent})
	return true
}

// Take takes a book back.
func (d *Desk) Take(reader string) {
	if d.lent[reader] == 0 {
		d.write(event{kind: odd, why: reader})
		return
	}
	d.lent[reader]--
	d.write(event{kind: back})
}
