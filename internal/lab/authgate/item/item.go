package item

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Schemas of the rows and of the manifest. A row of another schema is refused.
const (
	InstanceSchema = "licet.authgate.instance/1"
	SignalsSchema  = "licet.authgate.signals/1"
	ManifestSchema = "licet.authgate.manifest/1"
	ReviewSchema   = "licet.authgate.review/1"
)

// License is that of every row.
const License = "CC-BY-4.0"

// Mode is one of the five ways in which an action goes beyond what was asked.
type Mode string

// The modes, in the order of tables.
const (
	ScopeEscalation       Mode = "scope_escalation"
	CredentialExploration Mode = "credential_exploration"
	ExternalSharing       Mode = "external_sharing"
	GuardrailBypass       Mode = "guardrail_bypass"
	InferredParameters    Mode = "inferred_parameters"
)

// Modes lists the modes in the order of tables.
var Modes = []Mode{ScopeEscalation, CredentialExploration, ExternalSharing, GuardrailBypass, InferredParameters}

// codes are the modes in ids.
var codes = map[Mode]string{ScopeEscalation: "se", CredentialExploration: "ce", ExternalSharing: "es", GuardrailBypass: "gb", InferredParameters: "ip"}

// Role is the part of a row in its pair.
type Role string

// The roles. A near-miss looks like consent and is not.
const (
	Base     Role = "base"
	Inverted Role = "inverted"
	NearMiss Role = "near_miss"
)

// Roles lists the roles in the order of the rows of a pair.
var Roles = []Role{Base, Inverted, NearMiss}

// suffixes end the ids of rows.
var suffixes = map[Role]string{Base: "base", Inverted: "inv", NearMiss: "near"}

// Gold is the right decision. The zero Gold is none, and is refused.
type Gold string

// The decisions.
const (
	Block Gold = "block"
	Allow Gold = "allow"
)

// Gold returns the right decision for a row of role r.
func (r Role) Gold() Gold {
	if r == Inverted {
		return Allow
	}
	return Block
}

// Instance is one row of instances.jsonl.
type Instance struct {
	Schema     string     `json:"schema"`
	ID         string     `json:"id"`
	PairID     string     `json:"pair_id"`
	Role       Role       `json:"role"`
	Mode       Mode       `json:"mode"`
	Domain     string     `json:"domain"`
	ToolFamily string     `json:"tool_family"`
	Visible    Visible    `json:"visible"`
	Label      Label      `json:"label"`
	Digests    Digests    `json:"digests"`
	Provenance Provenance `json:"provenance"`
	Dedup      Dedup      `json:"dedup"`
	Review     Review     `json:"review"`
	Split      string     `json:"split"`
	License    string     `json:"license"`
}

// Visible is the only part of an instance that a judge may receive.
type Visible struct {
	Request    []Turn `json:"request"`
	Trajectory []Step `json:"trajectory"`
	Action     Action `json:"action"`
}

// Turn is what the user said, numbered from 1.
type Turn struct {
	Turn int    `json:"turn"`
	Text string `json:"text"`
}

// Step is an earlier call of the agent, numbered from 1, with what came of it.
type Step struct {
	Step   int            `json:"step"`
	Tool   string         `json:"tool"`
	Args   jsontext.Value `json:"args"`
	Result *string        `json:"result,omitzero"`
}

// Action is the proposed call.
type Action struct {
	Tool string         `json:"tool"`
	Cwd  string         `json:"cwd,omitzero"`
	Args jsontext.Value `json:"args"`
}

// Label is the right decision and why.
type Label struct {
	Gold         Gold     `json:"gold"`
	Rationale    string   `json:"rationale"`
	NearMissKind *string  `json:"near_miss_kind"`
	Effects      []Effect `json:"effects"`
	Coverage     []Span   `json:"coverage"`
	Boundaries   []Span   `json:"boundaries"`
}

// Effect is one thing that the action does.
type Effect struct {
	ID     string `json:"id"`
	Op     string `json:"op"`
	Kind   string `json:"kind"`
	Target string `json:"target"`
}

// Span is the words of the user that authorize an effect, or forbid it.
type Span struct {
	Effect string `json:"effect"`
	Turn   int    `json:"turn"`
	Quote  string `json:"quote"`
}

// Digests are "sha256:" and the SHA-256 of canonical JSON (RFC 8785). Row covers
// all members of the row but digests and review.
type Digests struct {
	Trajectory string `json:"trajectory"`
	Action     string `json:"action"`
	Visible    string `json:"visible"`
	Row        string `json:"row"`
}

// Provenance says where a row comes from.
type Provenance struct {
	Origin
	Slot        string  `json:"slot"`
	SeedExample *string `json:"seed_example"`
}

// Origin is the part of the provenance that rows of signals have, too.
// PromptSHA256 is null where a row was written without a prompt of a pipeline.
type Origin struct {
	Stage        string    `json:"stage"`
	Draft        string    `json:"draft"`
	Generator    Generator `json:"generator"`
	PromptSHA256 *string   `json:"prompt_sha256"`
	RepairRounds int       `json:"repair_rounds"`
	Created      string    `json:"created"` // RFC 3339
}

// Generator is what wrote a row.
type Generator struct {
	Family string            `json:"family"`
	Model  string            `json:"model"`
	Params map[string]string `json:"params"`
}

// Dedup is the nearest other row by the measure of [Validate], and the cluster of
// pairs that stay on one side of the split. Similarity is a decimal fraction.
type Dedup struct {
	Cluster    string `json:"cluster"`
	Nearest    string `json:"nearest"`
	Similarity string `json:"similarity"`
}

// Review is how far the label of a row has been confirmed.
type Review struct {
	Status        string        `json:"status"`
	Labels        []ReviewLabel `json:"labels"`
	AdjudicatedBy *string       `json:"adjudicated_by"`
}

// ReviewLabel is a label given by somebody who did not see the row's own.
type ReviewLabel struct {
	Reviewer string `json:"reviewer"`
	Kind     string `json:"kind"` // human or model
	Gold     string `json:"gold"` // allow, block or unsure
}

// Signals is one row of signals.jsonl: what checks of the environment say, the
// same for all members of a pair.
type Signals struct {
	Schema       string         `json:"schema"`
	PairID       string         `json:"pair_id"`
	Observations []Observation  `json:"observations"`
	Digests      SignalsDigests `json:"digests"`
	Provenance   Origin         `json:"provenance"`
}

// Observation is what one check of one collector says. Check is not shown to a
// judge.
type Observation struct {
	ID        string         `json:"id"`
	Collector string         `json:"collector"`
	Key       string         `json:"key"`
	Value     jsontext.Value `json:"value"`
	Check     string         `json:"check"`
	AgeS      int            `json:"age_s"`
	Complete  bool           `json:"complete"` // false: value means "at least"
}

// SignalsDigests covers the observations, and all members of the row but digests.
type SignalsDigests struct {
	Observations string `json:"observations"`
	Row          string `json:"row"`
}

// Reviewed is one row of reviews.jsonl: what somebody said of an instance who saw
// its visible part and the observations, and nothing else.
type Reviewed struct {
	Schema    string `json:"schema"`
	Instance  string `json:"instance"`
	Reviewer  string `json:"reviewer"`
	Kind      string `json:"kind"` // human or model
	Gold      string `json:"gold"` // allow, block or unsure
	Mode      string `json:"mode"` // "" where gold is allow
	Plausible bool   `json:"plausible"`
	Quote     string `json:"quote"` // words of the user, where gold is allow
}

// Manifest describes a data set.
type Manifest struct {
	Schema        string                `json:"schema"`
	Name          string                `json:"name"`
	Version       string                `json:"version"`
	Created       string                `json:"created"`
	License       string                `json:"license"`
	Counts        map[Mode]map[Role]int `json:"counts"`
	Domains       []string              `json:"domains"`
	ToolFamilies  []string              `json:"tool_families"`
	Files         []File                `json:"files"`
	DatasetDigest string                `json:"dataset_digest"`
	Policies      []File                `json:"policies"`
	Prompts       []File                `json:"prompts"`
	ToolCatalogue string                `json:"tool_catalogue"` // digest
	Generators    []GeneratorCount      `json:"generators"`
	Thresholds    Thresholds            `json:"thresholds"`
	Review        ReviewSummary         `json:"review"`
	Splits        map[string]int        `json:"splits"` // pairs
	Controls      []Control             `json:"controls"`
	Parent        *string               `json:"parent"` // dataset digest of the version before
	Changes       []string              `json:"changes"`
}

// File is a file of the data set. Rows is 0 for a text.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
}

// GeneratorCount says how many rows something wrote.
type GeneratorCount struct {
	Family string `json:"family"`
	Model  string `json:"model"`
	Rows   int    `json:"rows"`
}

// ReviewSummary says how far the labels are confirmed. Both kappas are Cohen's, as
// decimals: that of labels of a model with those of the rows, and that of two people
// with one another, over the rows that both have labelled.
type ReviewSummary struct {
	Status         string          `json:"status"` // unreviewed until people have confirmed the labels
	HumanConfirmed int             `json:"human_confirmed"`
	ModelLabels    int             `json:"model_labels"`
	Kappa          map[Mode]string `json:"kappa"`
	KappaPeople    map[Mode]string `json:"kappa_people,omitzero"` // left out where no two people have labelled a row
	Dropped        int             `json:"dropped"`
}
