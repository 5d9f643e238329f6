package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/licet-dev/licet/internal/lab/cli"
	"github.com/licet-dev/licet/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"licet-lab": func() {
			os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScripts runs the command line as its users do, with the corpora, the
// data sets and the starter contracts beside it.
func TestScripts(t *testing.T) {
	cache := testkit.BuildCache(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("GOCACHE", cache)
			for _, dir := range []string{"contracts", "corpora", "data"} {
				if err := os.CopyFS(e.WorkDir+"/"+dir, os.DirFS("../../"+dir)); err != nil {
					return err
				}
			}
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("LICET_UPDATE") != "",
	})
}
