package build

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Plan is what a build is to make, and by what.
type Plan struct {
	Name, Version string // of the data set
	Major         int    // in ids
	Slots         []Slot // in the order of the file, in which drafts are tested
	Tools         *catalog.Catalog
	Policies      map[string]string // texts by name; "rules" is the one to generate by
	Seeds         map[string]Seed   // by id
	Author        Author

	tools []byte // the text of Tools
}

// Slot is one pair to be made.
type Slot struct {
	ID         string `json:"slot"` // CODE-NNN, with the code of its mode
	Domain     string `json:"domain"`
	ToolFamily string `json:"tool_family"`
	Risk       string `json:"risk"`
	Length     [2]int `json:"length"`    // least and most characters of the request, all turns together
	Seed       string `json:"seed"`      // id of the example that the generator is shown
	NearMiss   string `json:"near_miss"` // kind of the near-miss; "" is none

	Mode item.Mode `json:"-"`
}

// Seed is an example: its text, and its form, which no row may copy.
type Seed struct {
	Text string
	item.Seed
}

// Author is who writes. Params are those of the API, as decimals.
type Author struct {
	Family string // who made the model
	Model  string // as it is asked for
	Params map[string]string
}

// planFile is a plan as people write it. Paths count from its folder.
type planFile struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Major    int    `json:"major"`
	Tools    string `json:"tools"`    // the tool catalogue
	Policies string `json:"policies"` // folder of NAME.md, with rules.md
	Seeds    string `json:"seeds"`    // examples, one JSON object a line
	Slots    []Slot `json:"slots"`
}

// ReadPlan reads a plan and the files that it names.
func ReadPlan(path string, by Author) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file planFile
	if err := item.DecodeYAML(path, "plan", text, &file); err != nil {
		return nil, err
	}
	beside := func(name string) string { return filepath.Join(filepath.Dir(path), filepath.FromSlash(name)) }
	p := &Plan{Name: file.Name, Version: file.Version, Major: file.Major, Slots: file.Slots, Author: by}
	if p.tools, err = os.ReadFile(beside(file.Tools)); err != nil {
		return nil, fmt.Errorf("%s: the tool catalogue: %w", path, err)
	}
	if p.Tools, err = catalog.Parse(p.tools); err != nil {
		return nil, fmt.Errorf("%s: the tool catalogue: %w", path, err)
	}
	if err := p.readPolicies(beside(file.Policies)); err != nil {
		return nil, fmt.Errorf("%s: the policies: %w", path, err)
	}
	if err := p.readSeeds(beside(file.Seeds)); err != nil {
		return nil, fmt.Errorf("%s: the examples: %w", path, err)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func (p *Plan) readPolicies(dir string) error {
	p.Policies = map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		p.Policies[strings.TrimSuffix(filepath.Base(path), ".md")] = string(text)
	}
	if p.Policies[rules] == "" {
		return fmt.Errorf("%s has no %s.md, which cases are written by", dir, rules)
	}
	return nil
}

// rules is the policy that cases are written by.
const rules = "rules"

func (p *Plan) readSeeds(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	p.Seeds = map[string]Seed{}
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		raw = bytes.TrimSpace(raw)
		seed, err := item.ParseSeed(raw)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if _, twice := p.Seeds[seed.ID]; twice || seed.ID == "" {
			return fmt.Errorf("%s:%d: the id %q is empty or stands twice", path, line, seed.ID)
		}
		p.Seeds[seed.ID] = Seed{string(raw), seed}
	}
	return nil
}

var slotForm = regexp.MustCompile(`^(se|ce|es|gb|ip)-[0-9]{3}$`)

// check refuses a plan that cannot be carried out, and fills in the modes.
func (p *Plan) check() error {
	if p.Name == "" || p.Version == "" || p.Major < 0 || len(p.Slots) == 0 {
		return fmt.Errorf("a plan has a name, a version, a major number and slots")
	}
	if p.Author.Family == "" || p.Author.Model == "" {
		return fmt.Errorf("a plan wants a model and the family that it is of")
	}
	seen, domains := map[string]bool{}, map[string]int{}
	for n := range p.Slots {
		s := &p.Slots[n]
		if !slotForm.MatchString(s.ID) || seen[s.ID] {
			return fmt.Errorf("the slot %q stands twice, or is no CODE-NNN with one of the codes se, ce, es, gb, ip", s.ID)
		}
		seen[s.ID] = true
		s.Mode = item.Modes[slices.IndexFunc(item.Modes, func(m item.Mode) bool { return m.Code() == s.ID[:2] })]
		domains[string(s.Mode)+" "+s.Domain]++
		if err := s.check(p.Seeds); err != nil {
			return fmt.Errorf("the slot %s: %w", s.ID, err)
		}
	}
	for n := range p.Slots {
		s := &p.Slots[n]
		if most := item.DomainQuota(p.size(s.Mode)); domains[string(s.Mode)+" "+s.Domain] > most {
			return fmt.Errorf("the slot %s: more than %d of the %d slots of %s are in the domain %q", s.ID, most, p.size(s.Mode), s.Mode, s.Domain)
		}
	}
	return nil
}

func (s *Slot) check(seeds map[string]Seed) error {
	_, known := seeds[s.Seed]
	switch {
	case s.Domain == "" || s.ToolFamily == "" || s.Risk == "":
		return fmt.Errorf("domain, tool_family and risk are not all there")
	case s.Length[0] < 8 || s.Length[1] < s.Length[0]:
		return fmt.Errorf("the length %d to %d: expected two numbers, 8 or more", s.Length[0], s.Length[1])
	case !known:
		return fmt.Errorf("there is no example %q", s.Seed)
	case s.NearMiss != "" && !slices.Contains(item.NearMissKinds(), s.NearMiss):
		return fmt.Errorf("a near-miss is of the kind %s, not %q", strings.Join(item.NearMissKinds(), ", "), s.NearMiss)
	}
	return nil
}

// size is how many slots a mode has.
func (p *Plan) size(mode item.Mode) (n int) {
	for _, s := range p.Slots {
		if s.Mode == mode {
			n++
		}
	}
	return n
}

// seeds are the forms of the examples, by id.
func (p *Plan) seeds() (all []item.Seed) {
	for _, id := range slices.Sorted(maps.Keys(p.Seeds)) {
		all = append(all, p.Seeds[id].Seed)
	}
	return all
}

// about is what the data set says of itself.
func (p *Plan) about(created string) item.About {
	a := item.About{Name: p.Name, Version: p.Version, Created: created, Changes: []string{"First version."}}
	for _, s := range p.Slots {
		a.Domains, a.ToolFamilies = append(a.Domains, s.Domain), append(a.ToolFamilies, s.ToolFamily)
	}
	slices.Sort(a.Domains)
	slices.Sort(a.ToolFamilies)
	a.Domains, a.ToolFamilies = slices.Compact(a.Domains), slices.Compact(a.ToolFamilies)
	return a
}

// inLength says what is wrong with the length of a request.
func (s *Slot) inLength(request []item.Turn) (found *item.Finding) {
	n := 0
	for _, t := range request {
		n += utf8.RuneCountInString(t.Text)
	}
	if n >= s.Length[0] && n <= s.Length[1] {
		return nil
	}
	return &item.Finding{Code: "schema", Path: "/visible/request", What: fmt.Sprintf("has %d characters, not %s", n, s.length())}
}

func (s *Slot) length() string { return fmt.Sprintf("%d to %d", s.Length[0], s.Length[1]) }

// identity is what makes a build the one that it is: digests and words, by name. With
// another one its answers would be to other questions.
func (p *Plan) identity() (map[string]string, error) {
	slots, err := json.Marshal(p.Slots)
	if err != nil {
		return nil, err
	}
	bounds, err := json.Marshal(item.CurrentThresholds())
	if err != nil {
		return nil, err
	}
	id := map[string]string{
		"format": "licet.authgate.build/1", "name": p.Name, "version": p.Version, "major": strconv.Itoa(p.Major),
		"slots": digest(slots), "tool catalogue": p.Tools.Digest(), "thresholds": string(bounds),
		"family": p.Author.Family, "model": p.Author.Model,
	}
	for name, text := range p.Policies {
		id["policy "+name] = digest([]byte(text))
	}
	for name, seed := range p.Seeds {
		id["example "+name] = digest([]byte(seed.Text))
	}
	for name, text := range prompts {
		id["prompt "+name] = digest([]byte(text))
	}
	for name, value := range p.Author.Params {
		id["parameter "+name] = value
	}
	return id, nil
}

// differs names the first member in which two identities are not the same, with what
// it was and is.
func differs(was, is map[string]string) (name, before, now string, yes bool) {
	names := slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(is)))
	slices.Sort(names)
	for _, name := range names {
		if was[name] != is[name] {
			return name, cmp.Or(was[name], "none"), cmp.Or(is[name], "none"), true
		}
	}
	return "", "", "", false
}
