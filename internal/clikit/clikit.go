package clikit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit statuses of all programs (contract.md, section 5).
const (
	Fine     = 0
	Failed   = 1
	Misused  = 2
	Block    = 3
	Approval = 4
)

// Run runs a program until it ends or is interrupted, and returns its exit
// status. What went wrong is printed to errOut after the program's name.
func Run(ctx context.Context, program string, errOut io.Writer, f func(context.Context) error) (status int) {
	defer func() {
		if p := recover(); p != nil { // the runtime's own status would read as wrong usage
			fmt.Fprintf(errOut, "%s: a defect, please report it: %v\n%s", program, p, debug.Stack())
			status = Failed
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return statusOf(program, errOut, f(ctx))
}

// Exit ends the program with a status and nothing more to say.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// usage is wrong usage that only the command itself can see.
type usage struct{ msg string }

func (u usage) Error() string { return u.msg }

// Usagef returns the error of a command that was called wrongly.
func Usagef(format string, args ...any) error { return usage{fmt.Sprintf(format, args...)} }

// RunE makes a command's function. What it returns is a failure, unless it is
// an Exit or of Usagef; what cobra itself returns, before the function is
// called, is wrong usage.
func RunE(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		if err == nil || errors.As(err, new(Exit)) || errors.As(err, new(usage)) {
			return err
		}
		return failure{err}
	}
}

// Only returns the chosen name, or the only one there is.
func Only(what, chosen string, names []string) (string, error) {
	if chosen == "" && len(names) == 1 {
		return names[0], nil
	}
	for _, n := range names {
		if n == chosen {
			return n, nil
		}
	}
	if chosen == "" {
		return "", Usagef("the contract has %d %ss %q: choose one with --%s", len(names), what, names, what)
	}
	return "", Usagef("the contract has no %s %q: it has %q", what, chosen, names)
}

// statusOf prints an error and returns the exit status for it.
func statusOf(program string, errOut io.Writer, err error) int {
	var e Exit
	switch {
	case err == nil:
		return Fine
	case errors.As(err, &e):
		return int(e)
	case errors.As(err, new(failure)):
		fmt.Fprintf(errOut, "%s: %v\n", program, err)
		return Failed
	default:
		fmt.Fprintf(errOut, "%s: %v\nRun `%s help` to see what there is.\n", program, err, program)
		return Misused
	}
}
