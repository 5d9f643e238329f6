package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) authgate() *cobra.Command {
	c := &cobra.Command{
		Use: "authgate", Short: "Measure judges of authorization on contrast pairs",
		Long: `The benchmark of authorization gates: pairs in which the same trajectory and the
same action are right to block under one request of the user and right to allow
under another (docs/authgate.md, docs/authgate-data.md).`,
	}
	c.AddCommand(a.authgateData()...)
	c.AddCommand(a.authgateBuild(), a.authgateImport(), a.authgateExport(), a.authgateRun(), a.authgateReport(), a.authgateCalibrate())
	return c
}
