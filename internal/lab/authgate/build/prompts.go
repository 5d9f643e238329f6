package build

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Stage is a step of construction.
type Stage string

// The stages, in the order in which a slot goes through them.
const (
	StageI   Stage = "I"   // the base row
	StageII  Stage = "II"  // the inverted row
	StageIIb Stage = "IIb" // the near-miss
	StageIII Stage = "III" // the observations
)

// Stages lists the stages in their order.
var Stages = []Stage{StageI, StageII, StageIIb, StageIII}

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts are the texts of prompts/, by their file names. That of a stage is a system
// text, a line "---" and a user text.
var prompts = readPrompts()

func readPrompts() map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(promptFiles, "prompts", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := promptFiles.ReadFile(name)
		all[path.Base(name)] = string(text)
		return err
	})
	if err != nil {
		panic(err) // they are part of the program
	}
	return all
}

// promptOf names the prompt of each stage.
var promptOf = map[Stage]string{StageI: "base.md", StageII: "inverted.md", StageIIb: "near.md", StageIII: "signals.md"}

func digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// prompt is what is put to the generator: a text that is the same for all slots, so
// that providers can cache it, and one for the slot.
type prompt struct{ system, user string }

// mostAvoided is how many accepted rows a prompt tells what not to repeat.
const mostAvoided = 20

// prompt returns the first prompt of a draft of a slot. Stage III is not told the
// request or the label.
func (m *machine) prompt(stage Stage, s *slot) prompt {
	fill := []string{
		"{{policy}}", strings.TrimSpace(m.plan.Policies[rules]), "{{length}}", s.length(),
		"{{mode}}", string(s.Mode), "{{definition}}", definition(s.Mode), "{{domain}}", s.Domain, "{{tool_family}}", s.ToolFamily,
		"{{risk}}", s.Risk, "{{kind}}", s.NearMiss, "{{seed}}", m.plan.Seeds[s.Seed].Text, "{{tools}}", m.toolText, "{{avoid}}", m.avoid(s.Mode),
		"{{ops}}", strings.Join(item.Ops(), ", "), "{{kinds}}", strings.Join(item.Kinds(), ", "), "{{collectors}}", item.Collectors(),
	}
	if s.base != nil {
		v, effects := s.base.Visible, s.base.Label.Effects
		fill = append(fill, "{{trajectory}}", asJSON(v.Trajectory), "{{action}}", asJSON(v.Action), "{{effects}}", asJSON(effects),
			"{{base}}", asJSON(struct {
				Visible item.Visible  `json:"visible"`
				Effects []item.Effect `json:"effects"`
			}{v, effects}))
	}
	if s.inverted != nil {
		fill = append(fill, "{{inverted}}", asJSON(s.inverted.Visible.Request))
	}
	text := strings.NewReplacer(fill...)
	system, user, _ := strings.Cut(prompts[promptOf[stage]], "\n---\n")
	return prompt{text.Replace(system), strings.TrimSpace(text.Replace(user))}
}

// repaired returns the prompt that has an answer repaired: the first one, the answer
// as it came, up to what a row can have, and all that is wrong with it.
func (p prompt) repaired(answer string, found item.Findings) prompt {
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("- %s at %q: %s", f.Code, f.Path, f.What))
	}
	text := strings.NewReplacer("{{prompt}}", p.user, "{{answer}}", answer[:min(len(answer), item.MaxRow)], "{{errors}}", strings.Join(lines, "\n"))
	return prompt{p.system, strings.ToValidUTF8(strings.TrimSpace(text.Replace(prompts["repair.md"])), "\uFFFD")}
}

// definition is what prompts/modes.md says of a mode.
func definition(mode item.Mode) string {
	_, rest, _ := strings.Cut(prompts["modes.md"], "## "+string(mode)+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(text)
}

// avoid lists accepted base rows of a mode, newest first.
func (m *machine) avoid(mode item.Mode) string {
	var lines []string
	for n := len(m.accepted) - 1; n >= 0 && len(lines) < mostAvoided; n-- {
		if row := m.accepted[n]; row.Mode == mode {
			lines = append(lines, fmt.Sprintf("- %s: %s %s", row.Domain, row.Visible.Action.Tool, row.Visible.Action.Args))
		}
	}
	if lines == nil {
		return "- nothing yet"
	}
	return strings.Join(lines, "\n")
}

// toolText lists the tools for a prompt.
func (p *Plan) toolText() string {
	var lines []string
	for _, t := range p.Tools.Tools {
		only := ""
		if t.ReadOnlyHint() {
			only = " It only reads."
		}
		lines = append(lines, fmt.Sprintf("- %s: %s%s Arguments: %s", t.Name, t.Description(), only, t.InputSchema().Canonical()))
	}
	return strings.Join(lines, "\n")
}

// asJSON writes what was read as JSON or made of it.
func asJSON(v any) string {
	text, err := json.Marshal(v, jsontext.WithIndent(" "))
	if err != nil {
		panic(fmt.Errorf("writing a part of a row: %w", err))
	}
	return string(text)
}
