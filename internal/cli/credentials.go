package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// tokenVariable holds the credential by which a door speaks as an agent.
const tokenVariable = "LICET_TOKEN"

func (a *app) credentials() *cobra.Command {
	c := &cobra.Command{
		Use: "credentials", Short: "Secrets by which a door may speak as an agent", Args: cobra.NoArgs,
		Long: `An agent with "authenticate: {token: NAME}" in the contract is served only by a
door that has this credential, in the environment variable LICET_TOKEN. licet
keeps a digest of it, and shows the secret once. Where there is an approver, a
credential is made or revoked only with the passphrase of one.

  LICET_TOKEN=$(licet credentials add support) licet mcp --contract licet.yaml -- CMD`,
	}
	c.AddCommand(a.credentialsAdd(), a.credentialsList(), a.credentialsRevoke())
	return c
}

// credentialName is what a contract can write beside `token:`.
var credentialName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (a *app) credentialsAdd() *cobra.Command {
	var who credentials
	c := &cobra.Command{
		Use: "add NAME", Short: "Make a credential, or replace it, and print its secret once", Args: cobra.ExactArgs(1),
		Example: "  licet credentials add support",
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if !credentialName.MatchString(args[0]) {
				return usagef("a name has letters, digits, _ and -: %q", args[0])
			}
			s, err := a.openState(cmd.Context())
			if err != nil {
				return err
			}
			secret := "licet_" + rand.Text() + rand.Text()
			err = a.writeCredential(cmd.Context(), s, ledger.Credential{Name: args[0], Digest: secretDigest(secret)}, who)
			if err := errors.Join(err, s.Close()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, secret)
			return err
		}),
	}
	who.flags(c)
	return c
}

func (a *app) credentialsList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the names of credentials", Args: cobra.NoArgs,
		Example: "  licet credentials list --json",
		RunE: a.inState(func(ctx context.Context, s *state, _ []string) error {
			names, err := s.store.Credentials(ctx)
			if err != nil {
				return err
			}
			for _, name := range names {
				if asJSON {
					err = printJSON(a.out, map[string]string{"name": name})
				} else {
					_, err = fmt.Fprintln(a.out, name)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return c
}

func (a *app) credentialsRevoke() *cobra.Command {
	var who credentials
	c := &cobra.Command{
		Use: "revoke NAME", Short: "Make a credential worthless", Args: cobra.ExactArgs(1),
		Example: "  licet credentials revoke support",
		RunE: a.inState(func(ctx context.Context, s *state, args []string) error {
			names, err := s.store.Credentials(ctx)
			if err != nil {
				return err
			}
			if !slices.Contains(names, args[0]) {
				return fmt.Errorf("no credential %q: `licet credentials list` shows those there are", args[0])
			}
			if err := a.writeCredential(ctx, s, ledger.Credential{Name: args[0]}, who); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "Revoked %s.\n", args[0])
			return err
		}),
	}
	who.flags(c)
	return c
}

// writeCredential writes or removes a credential, and the record of it.
func (a *app) writeCredential(ctx context.Context, s *state, c ledger.Credential, who credentials) error {
	by, err := a.anyApprover(ctx, s, who)
	if err != nil {
		return err
	}
	body := toolcall.ObjectOf(
		toolcall.Member{Name: "credential", Value: toolcall.StringOf(c.Name)},
		toolcall.Member{Name: "revoked", Value: toolcall.Boolean(c.Digest == "")},
	).AppendCanonical(nil)
	_, err = s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Credential, ID: approval.NewID("c-"), Token: &c, By: by,
		Body: func(ledger.Stamp) ([]byte, error) { return body, nil },
	})
	return err
}

func secretDigest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// speaks returns by what right this process speaks as an agent: the credential
// in its environment, if there is one.
func (a *app) speaks(ctx context.Context, s *state) (authz.Credential, error) {
	secret := a.env[tokenVariable]
	if secret == "" {
		return authz.Credential{}, nil
	}
	name, err := s.store.Credential(ctx, secretDigest(secret))
	if errors.Is(err, ledger.ErrNotFound) {
		return authz.Credential{}, fmt.Errorf("the credential in %s is not known, or revoked: `licet credentials add NAME` makes one", tokenVariable)
	}
	return authz.Credential{Token: name}, err
}
