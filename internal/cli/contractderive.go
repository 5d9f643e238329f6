package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// deriver writes a contract from tool signatures alone.
type deriver struct {
	*app
	catalogs    []string // [SERVER=]FILE
	rules       map[string]*[]string
	name, agent string
	out         string
	force       bool
}

func (a *app) contractDerive() *cobra.Command {
	d := &deriver{app: a, rules: map[string]*[]string{"allow": {}, "approve": {}, "block": {}}}
	c := &cobra.Command{
		Use:   "derive --catalog [SERVER=]FILE",
		Short: "Write a contract from the signatures of tools alone",
		Long: `Writes a contract from approved copies of tools: what each input schema says of
its arguments (types, enums, bounds, formats, what is required) in the words of
constraints, where you can narrow it. Nothing is asked and no server is started;
the same copies give the same contract, byte for byte.

A signature does not say what a tool may do. So a tool is allowed only if its
server claims that it only reads and its name says the same, as in "licet init";
every other one asks a person. --allow, --approve and --block say otherwise for
the tools whose name, or server.name, matches, with * for any characters; where
two match the same tool, the stricter one counts. A pattern that matches no tool
is an error.

SERVER is the server's name in the contract, by default that of the file.`,
		Example: "  licet contract derive --catalog catalogs/bank.json\n  licet contract derive --catalog bank=tools.json --allow 'get_*' --block delete_file --out licet.yaml",
		Args:    cobra.NoArgs,
		RunE:    run(func(*cobra.Command, []string) error { return d.start() }),
	}
	c.Flags().StringArrayVar(&d.catalogs, "catalog", nil, "an approved copy, as [SERVER=]FILE; may be repeated")
	c.Flags().StringArrayVar(d.rules["allow"], "allow", nil, "allow the tools that match, such as 'get_*'; may be repeated")
	c.Flags().StringArrayVar(d.rules["approve"], "approve", nil, "ask a person about the tools that match; may be repeated")
	c.Flags().StringArrayVar(d.rules["block"], "block", nil, "block the tools that match; may be repeated")
	c.Flags().StringVar(&d.name, "name", "derived", "name of the contract")
	c.Flags().StringVar(&d.agent, "agent", "agent", "name of the agent in the contract")
	c.Flags().StringVar(&d.out, "out", "", "file to write to, which the copies' paths then count from (default: print it)")
	c.Flags().BoolVar(&d.force, "force", false, "overwrite a contract that is there")
	if err := errors.Join(c.MarkFlagRequired("catalog"), c.MarkFlagFilename("catalog", "json"), c.MarkFlagFilename("out", "yaml")); err != nil {
		panic(err) // the flags are named above
	}
	return c
}

// source is one approved copy.
type source struct {
	server, file string // file is written as the contract names it
	catalog      *catalog.Catalog
	text         []byte
}

func (d *deriver) start() error {
	for what, name := range map[string]string{"name": d.name, "agent": d.agent} {
		if !nameForm.MatchString(name) {
			return usagef("--%s: a name is 1 to 100 letters, digits, _ and -, not %q", what, name)
		}
	}
	sources, err := d.sources()
	if err != nil {
		return err
	}
	if err := d.matching(sources); err != nil {
		return err
	}
	text, err := contract.Format("licet.yaml", []byte(d.text(sources)))
	if err != nil {
		return fmt.Errorf("laying out the contract: %w", err)
	}
	_, err = contract.Load("licet.yaml", text, func(name string) ([]byte, error) {
		i := slices.IndexFunc(sources, func(s source) bool { return s.file == name })
		return sources[i].text, nil
	})
	if err != nil {
		return fmt.Errorf("no contract can be written for these tools: %w", err)
	}
	return d.write(text)
}

// write prints the contract, or writes it to its file.
func (d *deriver) write(text []byte) error {
	if d.out == "" {
		_, err := d.app.out.Write(text)
		return err
	}
	if _, err := os.Lstat(d.out); err == nil && !d.force {
		return fmt.Errorf("there is a file %s: overwrite it with --force", d.out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking at %s: %w", d.out, err)
	}
	return replaceFile(d.out, text)
}

// sources reads the approved copies.
func (d *deriver) sources() (all []source, err error) {
	for _, arg := range d.catalogs {
		server, path, named := strings.Cut(arg, "=")
		if !named {
			server, path = strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg)), arg
		}
		if !nameForm.MatchString(server) {
			return nil, usagef("--catalog: %q is no name for a server: write NAME=%s", server, path)
		}
		if slices.ContainsFunc(all, func(s source) bool { return s.server == server }) {
			return nil, usagef("--catalog: two servers of the name %q: write NAME=FILE", server)
		}
		s := source{server: server}
		if s.text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		if s.catalog, err = catalog.Parse(s.text); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if s.file, err = d.beside(path); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// beside returns the path of a copy as the contract writes it.
func (d *deriver) beside(path string) (string, error) {
	if d.out == "" {
		return filepath.ToSlash(path), nil
	}
	dir, err := filepath.Abs(filepath.Dir(d.out))
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, abs)
	return filepath.ToSlash(rel), err
}

// matching refuses patterns that match no tool: one that is misspelt would leave
// a tool at another rule than was meant.
func (d *deriver) matching(sources []source) error {
	for word, patterns := range d.rules {
		for _, p := range *patterns {
			found := slices.ContainsFunc(sources, func(s source) bool {
				return slices.ContainsFunc(s.catalog.Tools, func(t catalog.Tool) bool { return matches(p, s.server, t.Name) })
			})
			if !found {
				return usagef("--%s: no tool matches %q", word, p)
			}
		}
	}
	return nil
}

// matches reports whether a pattern is the name of a tool, or server.name, with
// * for any characters.
func matches(pattern, server, tool string) bool {
	return wild(pattern, tool) || wild(pattern, server+"."+tool)
}

func wild(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	for i := 0; ok && i <= len(text); i++ {
		if wild(rest, text[i:]) {
			return true
		}
	}
	return false
}

// text returns the contract.
func (d *deriver) text(sources []source) string {
	var b strings.Builder
	comment(&b, "", "Derived by `licet contract derive` from the signatures of the tools alone: narrow it before you rely on it.")
	fmt.Fprintf(&b, "version: 1\nname: %s\ncatalogs:\n", yamlwalk.Text(d.name))
	for _, s := range sources {
		fmt.Fprintf(&b, "  %s:\n    pin: %s\n    tools: %s\n", yamlwalk.Text(s.server), s.catalog.Digest(), yamlwalk.Text(s.file))
	}
	fmt.Fprintf(&b, "agents:\n  %s:\n", yamlwalk.Text(d.agent))
	tools := 0
	for _, s := range sources {
		one := &starter{server: s.server, agent: d.agent, catalog: s.catalog}
		for _, t := range s.catalog.Tools {
			if tools++; tools == 1 {
				b.WriteString("    tools:\n")
			}
			b.WriteString(d.rule(one, t))
		}
	}
	if tools == 0 {
		b.WriteString("    tools: {}\n")
	}
	return b.String()
}

// rule returns the lines of one tool: its signature, or where that cannot be
// said so the word alone, or block.
func (d *deriver) rule(s *starter, t catalog.Tool) string {
	word := d.word(s.server, t)
	signed, plain := s.signed(t, word), s.line(t, word)
	var b strings.Builder
	switch {
	case s.loads(t, signed):
		return signed
	case s.loads(t, plain):
		comment(&b, "      ", "What the signature says cannot all be written as constraints; the input schema itself still holds.")
		return b.String() + plain
	}
	comment(&b, "      ", "What its schema says of its arguments cannot be enforced: blocked.")
	return b.String() + s.line(t, "block")
}

// word returns the rule of a tool: the strictest that a pattern says, else what
// is guessed as in `licet init`.
func (d *deriver) word(server string, t catalog.Tool) string {
	for _, word := range []string{"block", "approve", "allow"} {
		if slices.ContainsFunc(*d.rules[word], func(p string) bool { return matches(p, server, t.Name) }) {
			return word
		}
	}
	return guessRule(t, server, nil).word
}

// signed returns the rule of a tool with its signature.
func (s *starter) signed(t catalog.Tool, word string) string {
	arguments := signature(t)
	if len(arguments) == 0 || word == "block" {
		return s.line(t, word)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "      %s:\n        %s:\n", yamlwalk.Text(s.server+"."+t.Name), word)
	lead := "          - "
	for _, c := range arguments {
		fmt.Fprintf(&b, "%s%s: {%s}\n", lead, yamlwalk.Text(c.path.String()), strings.Join(c.words, ", "))
		lead = "            "
	}
	return b.String()
}
