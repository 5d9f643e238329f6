package clikit

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// prepare makes all commands of a program answer wrong usage alike: with what is
// wrong and an example. A group of commands that is given a word which is none
// of them must not end well, as cobra has it: a pipeline would take a misspelt
// check for one that passed.
func prepare(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpOf(root))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	walk(root)
}

func walk(c *cobra.Command) {
	for _, sub := range c.Commands() {
		walk(sub)
	}
	c.SuggestionsMinimumDistance = 2 // letters
	if c.HasSubCommands() {
		c.Args, c.RunE, c.DisableFlagsInUseLine = cobra.ArbitraryArgs, group, true
		return
	}
	if c.Example == "" {
		c.Example = "  " + c.CommandPath()
	}
	c.Args = explained(c.Args)
}

// group is what a command does that only has others below it.
func group(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknown(c, args[0])
	}
	return c.Help()
}

// unknown is the error for a word that is no command below c.
func unknown(c *cobra.Command, word string) error {
	hint := ""
	if near := c.SuggestionsFor(word); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return Usagef("unknown command %q for %q%s", word, c.CommandPath(), hint)
}

// helpOf takes the place of cobra's own command, which ends well without the
// topic that it was asked for.
func helpOf(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND ...]", Short: "Help about any command",
		Example: "  " + root.Name() + " help " + root.Commands()[0].Name(),
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknown(c, rest[0])
			}
			c.InitDefaultHelpFlag()
			c.InitDefaultVersionFlag()
			return c.Help()
		},
	}
}

// explained returns a check of arguments and required flags that names what is
// missing, or too much.
func explained(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return missingFlag(c)
		}
		if errors.As(err, new(usage)) {
			return err
		}
		if need := operands(c.Use); len(args) < len(need) {
			return Usagef("%s is missing%s", need[len(args)], example(c))
		}
		for i := len(args) - 1; i >= 0; i-- {
			if check(c, args[:i]) == nil {
				return Usagef("unexpected argument %q%s", args[i], example(c))
			}
		}
		return err
	}
}

// operands returns the names of the arguments that a usage line requires: those before
// what is optional, in brackets, and before flags of which some are, in parentheses.
func operands(use string) (names []string) {
	words := strings.Fields(use)[1:]
	for i := 0; i < len(words) && words[i] != "..." && words[i][0] != '[' && words[i][0] != '('; i++ {
		if words[i][0] == '-' { // with its value
			i++
			continue
		}
		names = append(names, words[i])
	}
	return names
}

func missingFlag(c *cobra.Command) error {
	err := c.ValidateRequiredFlags()
	if err == nil {
		return nil
	}
	// The error quotes the names, and nothing else has them.
	return Usagef("--%s is missing%s", strings.Split(err.Error(), `"`)[1], example(c))
}

// flagError words an error of a flag without what a library says of its text.
func flagError(_ *cobra.Command, err error) error {
	text := err.Error()
	if cause := errors.Unwrap(err); cause != nil {
		text = strings.TrimSuffix(text, ": "+cause.Error())
	}
	return Usagef("%s", text)
}

// example returns the first example of a command, on a line of its own.
func example(c *cobra.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	return ", for example:\n  " + first
}
