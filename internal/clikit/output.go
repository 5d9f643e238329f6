package clikit

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/term"
)

// output keeps the first error of a stream. A program whose answer was lost must
// not end as if it had given it. Nothing waits here: a write may never return.
type output struct {
	w     io.Writer
	first atomic.Pointer[error]
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.first.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (o *output) failure() error {
	if err := o.first.Load(); err != nil {
		return *err
	}
	return nil
}

// Fd returns the descriptor of the stream; one that no file has if it is none.
func (o *output) Fd() uintptr {
	if f, ok := o.w.(descriptor); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

type descriptor interface{ Fd() uintptr }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Columns returns how wide the terminal is that a stream is; 0 if it is none.
func Columns(stream any) int {
	f, ok := stream.(descriptor)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0 // no terminal
	}
	return width
}

// lost makes a failure of a run whose output was lost.
func lost(err, written error) error {
	switch {
	case written == nil:
		return err
	case err == nil || errors.As(err, new(Exit)):
		return failure{fmt.Errorf("writing the output: %w", written)}
	case errors.Is(err, written):
		return failure{err}
	}
	return failure{errors.Join(err, fmt.Errorf("writing the output: %w", written))}
}
