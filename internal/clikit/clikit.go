package clikit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
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
	Waiting  = 5 // of the lab: requests lie in files, and their answers are not there yet
)

// Streams are what a program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs the command that args name, without the program's own name, until it
// ends or is interrupted, and returns its exit status. What went wrong is
// printed to s.Err after the program's name. The commands that build makes must
// write to the streams that it gets: what could not be written to Out is a
// failure, whatever the command itself made of it.
func Run(ctx context.Context, args []string, s Streams, build func(Streams) *cobra.Command) (status int) {
	out := &output{w: s.Out}
	s.Out = out
	root := build(s)
	defer func() {
		if p := recover(); p != nil { // the runtime's own status would read as wrong usage
			fmt.Fprintf(s.Err, "%s: a defect, please report it: %v\n%s", root.Name(), p, debug.Stack())
			status = Failed
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	prepare(root)
	c, err := root.ExecuteContextC(ctx)
	return statusOf(c, s, lost(err, out.failure()))
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
		return "", Usagef("the contract has %d %ss (%s): choose one with --%s", len(names), what, strings.Join(names, ", "), what)
	}
	return "", Usagef("the contract has no %s %q: it has %s", what, chosen, strings.Join(names, ", "))
}

// statusOf prints the error of a command and returns the exit status for it. Who
// asked for JSON, with --json, finds the error on standard output as well.
func statusOf(c *cobra.Command, s Streams, err error) int {
	program, errOut := c.Root().Name(), s.Err
	if asJSON, _ := c.Flags().GetBool("json"); asJSON && err != nil && !errors.As(err, new(Exit)) {
		_ = PrintJSON(s.Out, map[string]string{"error": err.Error()}) // it stands on standard error anyway
	}
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
		topic := strings.TrimPrefix(c.CommandPath(), program)
		if topic == " help" {
			topic = ""
		}
		fmt.Fprintf(errOut, "%s: %v\nRun `%s help%s` to see what there is.\n", program, err, program, topic)
		return Misused
	}
}
