package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/llm"
)

func (a *app) llm() *cobra.Command {
	c := &cobra.Command{Use: "llm", Short: "Servers of language models, which a judge may ask", Args: cobra.NoArgs}
	c.AddCommand(a.probeLLM())
	return c
}

// probeFlags are the flags of `llm probe`.
type probeFlags struct {
	config               llm.Config
	provider             string
	keyEnv, keyFile      string
	workspaces           []string
	recordTo, replayFrom string
	asJSON               bool
}

func (a *app) probeLLM() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use: "probe --provider NAME --endpoint URL --model NAME", Short: "Find out what a model's server can do", Args: cobra.NoArgs,
		Long: `Asks a server short questions, and says what a configuration for it must know:
does it take the key, what does it call the model that answers, how can it be
made to answer in JSON, is temperature 0 accepted, does it offer log-probabilities
and count tokens, how long may a prompt be, and is a longer one cut silently.

The endpoint is the URL up to and with the version:

  openai            https://api.openai.com/v1, http://127.0.0.1:11434/v1 (Ollama, vLLM, llama.cpp)
  openai-responses  https://api.openai.com/v1
  anthropic         https://api.anthropic.com/v1
  gemini            https://generativelanguage.googleapis.com/v1beta

Plain http goes to a loopback address only. A key file must be readable for its
owner alone, and lie in no folder where agents write (--workspace). The exit
status is 1 if there was no answer; then the reason is printed.`,
		Example: "  licet-lab llm probe --provider openai --endpoint http://127.0.0.1:11434/v1 --model qwen3:8b",
		RunE:    clikit.RunE(func(cmd *cobra.Command, _ []string) error { return a.runProbeLLM(cmd.Context(), f) }),
	}
	flags := c.Flags()
	flags.StringVar(&f.provider, "provider", "", "openai, openai-responses, anthropic or gemini (required)")
	flags.StringVar(&f.config.Endpoint, "endpoint", "", "URL of the API (required)")
	flags.StringVar(&f.config.Model, "model", "", "model to ask (required)")
	flags.StringVar(&f.keyEnv, "key-env", "", "environment variable that holds the key")
	flags.StringVar(&f.keyFile, "key-file", "", "file that holds the key")
	flags.StringSliceVar(&f.workspaces, "workspace", nil, "folder where agents work: a key file in it is refused")
	flags.DurationVar(&f.config.Deadline, "deadline", 0, "time for one question with all its tries (default 20s)")
	flags.StringVar(&f.config.TestHeader, "test-header", "", "value of X-Licet-Test, for rules of a scripted server")
	flags.StringVar(&f.recordTo, "record", "", "keep questions and answers in this new file, without keys")
	flags.StringVar(&f.replayFrom, "replay", "", "take the answers from such a file, without a network")
	flags.BoolVar(&f.asJSON, "json", false, "print the findings as JSON")
	for _, name := range []string{"provider", "endpoint", "model"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

func (a *app) runProbeLLM(ctx context.Context, f probeFlags) (err error) {
	c := f.config
	c.Provider = llm.Provider(f.provider)
	switch {
	case f.keyEnv != "" && f.keyFile != "":
		return clikit.Usagef("--key-env and --key-file: a key comes from one place")
	case f.keyEnv != "":
		c.Key, err = llm.EnvKey(a.env, f.keyEnv)
	case f.keyFile != "":
		c.Key, err = llm.FileKey(f.keyFile, f.workspaces...)
	}
	if err != nil {
		return err
	}
	if f.recordTo != "" { // a configuration that is refused leaves no empty tape
		if _, err := llm.New(c, llm.RealSystem()); err != nil {
			return err
		}
	}
	if c.Tape, err = tape(f.recordTo, f.replayFrom); err != nil {
		return err
	}
	report, err := llm.Probe(ctx, c, llm.RealSystem())
	if c.Tape != nil {
		err = errors.Join(err, c.Tape.Close())
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		err = clikit.PrintJSON(a.out, report)
	} else {
		err = a.printProbe(report)
	}
	if err == nil && report.Code != "" {
		err = clikit.Exit(clikit.Failed)
	}
	return err
}

// tape returns the tape that --record and --replay name, nil for none.
func tape(record, replay string) (*llm.Tape, error) {
	switch {
	case record != "" && replay != "":
		return nil, clikit.Usagef("--record and --replay: a tape is written or read")
	case record != "":
		return llm.RecordTape(record)
	case replay != "":
		text, err := os.ReadFile(replay)
		if err != nil {
			return nil, err
		}
		return llm.ReplayTape(text)
	}
	return nil, nil
}

// yes says what is there and what is not.
func yes(is bool, there, not string) string {
	if is {
		return there
	}
	return not
}

func (a *app) printProbe(r llm.Report) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, clikit.Printable(fmt.Sprintf(format, args...)))
	}
	row("server", "%s at %s", r.Provider, r.Endpoint)
	if r.Scripted {
		row("scripted", "a script answers: this says nothing about any model")
	}
	if r.Code != "" {
		row("no answer", "%s", r.Error)
		return w.Flush()
	}
	row("model", "%s, which calls itself %s", r.Model, r.Reports)
	if r.Form != "" {
		row("form", "%s", r.Form)
	}
	row("temperature 0", "%s", yes(r.Temperature, "accepted", "refused"))
	row("log-probabilities", "%s", yes(r.LogProbs, "offered", "not offered"))
	row("tokens", "%s", yes(r.Usage, "counted by the server", "not counted by the server"))
	row("context", "%s", contextLine(r))
	return w.Flush()
}

func contextLine(r llm.Report) string {
	var parts []string
	if r.Context > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens, says %s", r.Context, r.ContextFrom))
	} else {
		parts = append(parts, "the server does not say")
	}
	if r.CutsPrompts {
		parts = append(parts, "what is longer is cut silently")
	}
	return strings.Join(parts, "; ")
}
