// Package stock says how many copies stand on a shelf.
package stock

import "fmt"

// Source is where copies are counted, which takes a while.
type Source interface {
	Count(shelf string) (int, error)
	Write(shelf string, copies int) error
}

// Counter counts copies and keeps what it has counted.
type Counter struct {
	source  Source
	counted map[string]int
}

// NewCounter returns a counter that has counted nothing yet.
func NewCounter(from Source) *Counter {
	return &Counter{source: from, counted: map[string]int{}}
}

// On returns how many copies are on a shelf.
func (c *Counter) On(shelf string) (int, error) {
	if n, ok := c.counted[shelf]; ok {
		return n, nil
	}
	n, err := c.source.Count(shelf)
	if err != nil {
		return 0, fmt.Errorf("counting on %s: %w", shelf, err)
	}
	c.counted[shelf] = n
	return n, nil
}

// Move takes copies from one shelf to another.
func (c *Counter) Move(from, to string, copies int) error {
	left, err := c.On(from)
	if err != nil {
		return err
	}
	if left < copies {
		return fmt.Errorf("%s has only %d copies", from, left)
	}
	there, err := c.On(to)
	if err != nil {
		return err
	}
	if err := c.set(from, left-copies); err != nil {
		return err
	}
	return c.set(to, there+copies)
}

// set writes how many copies are on a shelf.
func (c *Counter) set(shelf string, copies int) error {
	if err := c.source.Write(shelf, copies); err != nil {
		return fmt.Errorf("writing %s: %w", shelf, err)
	}
	delete(c.counted, shelf)
	return nil
}
