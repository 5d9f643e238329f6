package clikit

import (
	"slices"
	"testing"
)

func TestServerEnv(t *testing.T) {
	got := ServerEnv([]string{"HOME=/h", "LICET_TOKEN=secret", "licet_state=x", "NOT_LICET_=1"})
	if !slices.Equal(got, []string{"HOME=/h", "NOT_LICET_=1"}) {
		t.Errorf("a server gets %q", got)
	}
	if ServerEnv(nil) == nil {
		t.Error("no environment becomes ours")
	}
}
