package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/adapter"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/llm"
)

// secbenchModelFlags are the flags that choose configured models.
type secbenchModelFlags struct {
	file   string
	models []string
	remote bool
}

func (f *secbenchModelFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.file, "models", "", "file of models")
	flags.StringArrayVar(&f.models, "model", nil, "model of that file (can stand several times)")
	flags.BoolVar(&f.remote, "allow-remote", false, "ask models on other machines, too")
}

// secbenchPlayers returns scripted agents and models by their names.
func (a *app) secbenchPlayers(scripted []string, f secbenchModelFlags) ([]run.Player, error) {
	var players []run.Player
	for _, name := range scripted {
		if _, err := agents.New(name, agents.Sheet{}); err != nil {
			return nil, clikit.Usagef("--agent: %v", err)
		}
		players = append(players, run.Scripted(name))
	}
	switch {
	case len(f.models) == 0 && f.file != "":
		return nil, clikit.Usagef("--models %s: --model names the one of it that is asked", f.file)
	case len(f.models) == 0 && len(scripted) == 0:
		return nil, clikit.Usagef("--agent or --model is missing, for example:\n  licet-lab secbench run --out runs --agent oracle --task L01")
	case len(f.models) == 0:
		return players, nil
	case f.file == "":
		return nil, clikit.Usagef("--model %q: --models names the file that it stands in", f.models[0])
	}
	text, err := os.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	known, err := adapter.Parse(f.file, text)
	if err != nil {
		return nil, err
	}
	for _, name := range f.models {
		c, ok := known[name]
		if !ok {
			return nil, clikit.Usagef("--model %q: it does not stand in %s", name, f.file)
		}
		player, err := a.secbenchModel(c, f.remote)
		if err != nil {
			return nil, err
		}
		players = append(players, player)
	}
	return players, nil
}

// secbenchModel makes a configured model a player, with its key.
func (a *app) secbenchModel(c adapter.Config, remote bool) (run.Player, error) {
	if !remote && !llm.IsLocal(c.Client.Endpoint) {
		return run.Player{}, clikit.Usagef("the model %s is not on this machine: --allow-remote lets it be asked", c.Name)
	}
	var key llm.Key
	var err error
	if c.KeyEnv != "" {
		if key, err = llm.EnvKey(a.env, c.KeyEnv); err != nil {
			return run.Player{}, err
		}
	}
	return c.Player(key, llm.RealSystem())
}
