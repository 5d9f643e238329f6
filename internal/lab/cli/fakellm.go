package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/fakellm"
)

// addressVariable tells a command that fake-llm runs where the server is.
const addressVariable = "FAKE_LLM"

// fakeFlags are the flags of fake-llm.
type fakeFlags struct{ script, listen, log, batch string }

func (a *app) fakeLLM() *cobra.Command {
	var f fakeFlags
	c := &cobra.Command{
		Use: "fake-llm --script FILE [-- COMMAND ...]", Short: "Serve a model's API from a script, without a model", Args: cobra.ArbitraryArgs,
		Long: `Answers as the APIs of OpenAI (chat/completions, responses), Anthropic (messages)
and Gemini (generateContent) do, from a script and on this machine only. What it
answers says nothing about any model: every answer is marked as scripted.

With COMMAND it runs that, with the server's address in the variable FAKE_LLM,
and ends with it. With --batch it serves nothing, and answers a file of requests in
the form of OpenAI's Batch API with a file of answers on standard output.

A script is YAML; the first rule that matches answers:

  server: ollama          # whose pages beside the API: openai, ollama, vllm, llama.cpp
  context: 8192           # tokens that these pages name
  key: a-key-for-tests    # what else is sent gets 401
  json_schema: false      # refuses response_format
  usage: false            # does not say how many tokens an answer took
  rules:
    - when: {match: "git clean", dialect: openai, try: 1, epoch: 2, header: x}
      verdict: {decision: block}
    - when: {match: "rm -rf"}
      drift: [{decision: allow}, {decision: block}]    # by epoch, over and over
    - {fault: rate, retry_after: 2, latency_ms: 50}
    - {text: "neither JSON nor a verdict", model: another-name}
    - when: {turn: 2}       # of a conversation with an agent
      text: "I look."
      calls: [{name: list_dir, arguments: {path: .}}]

match is a pattern (RE2) for the text of all messages, digest the SHA-256 of the
judged call, which the log names, header the value of X-Licet-Test. try and
epoch come from the headers X-Licet-Try and X-Licet-Epoch, and turn is one more
than the conversation has answers. A verdict or calls may stand beside a fault,
which then works on them. The faults:

` + fakellm.FaultHelp(),
		Example: "  licet-lab fake-llm --script script.yaml -- sh -c 'curl -s $FAKE_LLM/v1/models'",
		RunE:    clikit.RunE(func(cmd *cobra.Command, args []string) error { return a.runFakeLLM(cmd.Context(), f, args) }),
	}
	c.Flags().StringVar(&f.script, "script", "", "what to answer (required)")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback address and port; port 0 is any that is free")
	c.Flags().StringVar(&f.batch, "batch", "", "answer this file of requests")
	c.Flags().StringVar(&f.log, "log", "", "file for a line of JSON per question; prompts and keys are not in it")
	if err := c.MarkFlagRequired("script"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runFakeLLM(ctx context.Context, f fakeFlags, command []string) error {
	text, err := os.ReadFile(f.script)
	if err != nil {
		return err
	}
	script, err := fakellm.Parse(f.script, text)
	if err != nil {
		return fmt.Errorf("the script is refused:\n%w", err)
	}
	log := io.Discard
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		log = file
	}
	if f.batch != "" && len(command) > 0 {
		return clikit.Usagef("--batch serves nothing, so that no COMMAND has a server to ask")
	}
	if f.batch != "" {
		return a.answerBatch(script, f.batch, log)
	}
	l, err := clikit.ListenLoopback(f.listen)
	if err != nil {
		return err
	}
	if len(command) == 0 {
		fmt.Fprintf(a.out, "scripted answers, no model, on http://%s\n", l.Addr())
		return script.Serve(ctx, l, log)
	}
	return a.serveAround(ctx, script, l, log, command)
}

// serveAround serves for as long as a command runs, and ends as it does.
func (a *app) serveAround(ctx context.Context, script *fakellm.Script, l net.Listener, log io.Writer, command []string) error {
	serving, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- script.Serve(serving, l, log) }()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(slices.Clone(a.env), addressVariable+"=http://"+l.Addr().String())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.err
	err := cmd.Run()
	stop()
	served := <-done
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() > 0 {
		return errors.Join(served, clikit.Exit(failed.ExitCode()))
	}
	return errors.Join(served, err)
}

// answerBatch answers a file of requests on standard output.
func (a *app) answerBatch(script *fakellm.Script, path string, log io.Writer) error {
	requests, err := os.Open(path)
	if err != nil {
		return err
	}
	defer requests.Close()
	return script.AnswerBatch(requests, a.out, log)
}
