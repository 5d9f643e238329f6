package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/licet-dev/licet/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"licet": func() {
			os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
		},
		"licet-early": runEarly,
		"licet-files": filesServer,
	})
}

// TestScripts runs the command line as its users do. Each script has its own
// home, so its own state directory, and the starter contracts beside it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", "")
			e.Setenv("XDG_CONFIG_HOME", "")
			return os.CopyFS(e.WorkDir+"/contracts", os.DirFS("../../contracts"))
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("LICET_UPDATE") != "",
	})
}
