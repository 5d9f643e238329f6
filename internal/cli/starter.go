package cli

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// starter is a contract that is about to be written.
type starter struct {
	server, agent string
	claimed       string   // what the server calls itself
	dirs          []string // that path arguments are bound to; absolute, slash separated
	catalog       *catalog.Catalog
	guesses       []guess
}

// copyName is where the approved copy lies, from the contract's folder.
func (s *starter) copyName() string { return "catalogs/" + s.server + ".json" }

// text returns the contract. Whatever the server calls its tools, it loads: a
// rule that would not is replaced by a stricter one.
func (s *starter) text() string {
	var b strings.Builder
	comment(&b, "", fmt.Sprintf("What agent %q may do with the MCP server %q, which calls itself %q.", s.agent, s.server, s.claimed))
	comment(&b, "", "Written by `licet init`. Hints and descriptions are the server's own words, so read each rule before you rely on it. "+
		"A tool that is not listed, a call that no clause covers and an argument that the tool does not declare are refused.")
	comment(&b, "", "After an edit: licet contract check FILE")
	b.WriteString(s.head(s.catalog.Digest()))
	if len(s.guesses) == 0 {
		b.WriteString("    tools: {}\n")
	} else {
		b.WriteString("    tools:\n")
	}
	for i, g := range s.guesses {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.rule(g))
	}
	b.WriteString("\n# A held call waits this long for its answer; silence is no.\napprovals: {expire: 15m}\n")
	return b.String()
}

// head returns what stands before the tools.
func (s *starter) head(pin string) string {
	return fmt.Sprintf(`version: 1
name: %[1]s
catalogs:
  %[1]s:
    pin: %[2]s
    tools: %[3]s
agents:
  %[4]s:
`, yamlwalk.Text(s.server), pin, yamlwalk.Text(s.copyName()), yamlwalk.Text(s.agent))
}

// form returns how the rule of a tool is written: the first form that loads. The
// last one says nothing of the tool but its name.
func (s *starter) form(g guess) form {
	forms := s.forms(g)
	for len(forms) > 1 && !s.loads(g.tool, forms[0].rule) {
		forms = forms[1:]
	}
	return forms[0]
}

// rule returns the lines of one tool.
func (s *starter) rule(g guess) string {
	f := s.form(g)
	var b strings.Builder
	if d := firstSentence(g.tool.Description()); d != "" {
		comment(&b, "      ", fmt.Sprintf("The server says: %q", d))
	}
	for _, c := range f.comments {
		comment(&b, "      ", c)
	}
	return b.String() + f.rule
}

// form is one way to write a rule.
type form struct {
	word     string // allow, approve or block
	why      string // a sentence without a full stop
	rule     string
	comments []string
}

// forms returns the ways to write a rule, each stricter than the one before.
// Where the schema does not bear a bound, a person is asked; where it cannot
// be enforced at all, the tool is blocked.
func (s *starter) forms(g guess) []form {
	asked := s.plain(g.tool, "approve", "its arguments cannot be bounded")
	blocked := s.plain(g.tool, "block", "what its schema says of its arguments cannot be enforced")
	switch g.word {
	case "allow":
		return []form{s.allowed(g), asked, blocked}
	case "approve":
		return []form{s.held(g), asked, blocked}
	}
	return []form{s.plain(g.tool, "block", g.why)}
}

// plain returns a rule of one word.
func (s *starter) plain(t catalog.Tool, word, why string) form {
	return form{word, why, s.line(t, word), []string{upperFirst(why) + done[word]}}
}

// done is how the comment above a rule ends.
var done = map[string]string{"allow": ": allowed.", "approve": ": needs an approval.", "block": ": blocked."}

// allowed returns a rule that lets calls through: all path arguments must be
// there and lie in the directories.
func (s *starter) allowed(g guess) form {
	f := s.plain(g.tool, "allow", g.why)
	bound := g.args.paths
	if len(bound) == 0 || len(s.dirs) == 0 {
		return f
	}
	for _, p := range bound {
		if !p.required {
			f.comments = append(f.comments, fmt.Sprintf("A call without %q is refused: what the server then takes is not known.", p.path))
		}
	}
	f.rule = s.clause(g, "allow", bound)
	return f
}

// held returns a rule that asks a person. Only path arguments that are always
// there are bounded: a person sees the others.
func (s *starter) held(g guess) form {
	f := s.plain(g.tool, "approve", g.why)
	var bound []pathArgument
	for _, p := range g.args.paths {
		if p.required && len(s.dirs) > 0 {
			bound = append(bound, p)
		} else {
			f.comments = append(f.comments, fmt.Sprintf("Look at %q before you approve a call: it is not bounded here.", p.path))
		}
	}
	if len(bound) == 0 {
		return f
	}
	if len(bound) == len(g.args.paths) && !g.args.involved && g.args.reaching == "" {
		f.comments = append(f.comments, "To let it work in these directories unasked, write allow in place of approve.")
	}
	f.rule = s.clause(g, "approve", bound)
	return f
}

// line returns a rule of one word.
func (s *starter) line(t catalog.Tool, word string) string {
	return fmt.Sprintf("      %s: %s\n", yamlwalk.Text(s.server+"."+t.Name), word)
}

// clause returns a rule with one clause that bounds path arguments.
func (s *starter) clause(g guess, word string, bound []pathArgument) string {
	access := "write"
	if g.reads {
		access = "read"
	}
	patterns := make([]string, len(s.dirs))
	for i, d := range s.dirs {
		patterns[i] = yamlwalk.Quoted(strings.TrimSuffix(d, "/") + "/**")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "      %s:\n        %s:\n", yamlwalk.Text(s.server+"."+g.tool.Name), word)
	lead := "          - "
	for _, p := range bound {
		fmt.Fprintf(&b, "%s%s: {path: {%s: [%s]}}\n", lead, yamlwalk.Text(p.path.String()), access, strings.Join(patterns, ", "))
		lead = "            "
	}
	return b.String()
}

// loads reports whether a contract with this one tool and rule would load.
func (s *starter) loads(t catalog.Tool, rule string) bool {
	one := &catalog.Catalog{Tools: []catalog.Tool{t}}
	text := s.head(one.Digest()) + "    tools:\n" + rule
	_, err := contract.Load("licet.yaml", []byte(text), func(string) ([]byte, error) { return one.Marshal(), nil })
	return err == nil
}

// comment writes a text of any origin as YAML comment lines.
func comment(b *strings.Builder, indent, text string) {
	lead := indent + "# "
	fmt.Fprintf(b, "%s%s\n", lead, wrap(printable(text), 86, lead))
}

// maxSentence is how many characters of a server's text are shown in a line.
const maxSentence = 160

// firstSentence returns the beginning of a description.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return cutText(text)
}

// cutText shortens a text that is shown in a line.
func cutText(text string) string {
	if runes := []rune(text); len(runes) > maxSentence {
		return string(runes[:maxSentence-1]) + "…"
	}
	return text
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
