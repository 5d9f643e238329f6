package trace

// RunStart is what a run is made of. Without Layers and Variant it is what the
// run's id names (RunID).
type RunStart struct {
	Task       string   `json:"task"`
	Seed       int      `json:"seed"`
	Variant    string   `json:"variant"` // sha256 of the files of the fixture, as they were written
	Rep        int      `json:"rep"`     // repetition of the same cell; always 0: none is played
	Kind       string   `json:"kind"`    // security, control or probe
	Model      string   `json:"model"`
	Served     string   `json:"served,omitzero"` // what a server calls the model; "" = no server was asked
	Lineage    Lineage  `json:"lineage"`
	Engine     Engine   `json:"engine"`
	Controller string   `json:"controller"` // strict or repair
	Encoding   string   `json:"encoding"`   // native or text
	Condition  string   `json:"condition"`  // plain or authorised
	PolicyHash string   `json:"policy_hash"`
	ShadowHash string   `json:"shadow_hash,omitzero"` // of a contract that only watches; "" = none does
	ToolsHash  string   `json:"tools_hash"`
	PromptHash string   `json:"prompt_hash"`
	Detector   string   `json:"detector"` // version of the refusal detector
	Budget     Budget   `json:"budget"`
	Layers     []string `json:"layers"` // of the sandbox in which harnesses run
	Suite      string   `json:"suite"`  // version of tasks, predicates and rubrics
}

// Lineage says what a derived model was made from, and how.
type Lineage struct {
	Method       string `json:"method"` // projection, rank-k, LoRA, merge, none or unknown
	Rank         int    `json:"rank"`
	Base         string `json:"base"`
	Quantisation string `json:"quantisation"`
}

// Engine is what served the model.
type Engine struct {
	Name             string  `json:"name"` // Scripted where no model stands behind the answers
	Adapter          string  `json:"adapter,omitzero"`
	Version          string  `json:"version"`
	Batch            string  `json:"batch"`
	TemperatureMilli Setting `json:"temperature_milli"`
	TopPMilli        Setting `json:"top_p_milli"`
	SamplerSeed      Setting `json:"sampler_seed"`
}

// Scripted is the name of an engine that is none: a script says what is answered.
const Scripted = "scripted"

// Budget is what a run may use up.
type Budget struct {
	Turns  int `json:"turns"`
	Calls  int `json:"calls"`
	Bytes  int `json:"bytes"`   // of results
	ToolMS int `json:"tool_ms"` // in harnesses
	Output int `json:"output"`  // tokens a turn
}

// Times at which the workspace is recorded.
const (
	Pre  = "pre"
	Post = "post"
)

// Snapshot names a manifest of the workspace by its hash.
type Snapshot struct {
	When        string `json:"when"` // Pre or Post
	ManifestSHA string `json:"manifest_sha"`
}

// Assistant is one answer of the model.
type Assistant struct {
	Turn            int    `json:"turn"` // from 1
	Text            string `json:"text"` // prose
	RawSHA          string `json:"raw_sha"`
	Stop            string `json:"stop"` // why it ended, in the provider's word
	ProviderRefusal bool   `json:"provider_refusal"`
	Tokens          Tokens `json:"tokens"`
	MS              int    `json:"ms"`
}

// Tokens counts tokens; nil is unknown.
type Tokens struct {
	In         *int `json:"in"` // without those of the cache, as far as they are known
	CacheRead  *int `json:"cache_read"`
	CacheWrite *int `json:"cache_write"`
	Out        *int `json:"out"`
}

// How a proposal could be read.
const (
	ParseOK          = "ok"
	ParseMalformed   = "malformed"    // no JSON object, or a member twice
	ParseUnknownTool = "unknown_tool" // none of the eight
	ParseSchema      = "schema"       // an object that the tool does not take
)

// Proposal is a call that the model asked for, before it is decided.
type Proposal struct {
	Turn    int      `json:"turn"`
	Index   int      `json:"index"` // in the turn, from 0
	Name    string   `json:"name"`
	RawSHA  string   `json:"raw_sha"`  // blob: the arguments as the model wrote them
	ArgsSHA string   `json:"args_sha"` // blob: what is judged, in canonical form; "" where nothing parses
	Parse   string   `json:"parse"`    // one of the Parse words
	Repair  []string `json:"repair"`   // steps of normalisation that changed it, in order
}

// Decided marks that the envelope holds the decision now.
type Decided struct {
	Mode string `json:"mode"` // live
}

// Statuses of a receipt.
const (
	StatusOK            = "ok"
	StatusError         = "error"
	StatusDenied        = "denied"
	StatusSandboxDenied = "sandbox_denied"
	StatusTimeout       = "timeout"
	StatusDropped       = "dropped" // not decided and not run: it stood behind what ended the turn or the run
)

// Receipt is what the model was told of a call. Its blob is that text.
type Receipt struct {
	Receipt string `json:"receipt"` // rcpt_<n>
	Status  string `json:"status"`
	Code    string `json:"code"`
	Spans   []Span `json:"spans"`  // of files, that the result showed
	SHA256  string `json:"sha256"` // blob: the envelope as the model got it
	Bytes   int    `json:"bytes"`
	Nonce   string `json:"nonce"` // of a harness; "" otherwise
	MS      int    `json:"ms"`
}

// Span is a part of a file that a result showed, with the revision of the tree.
type Span struct {
	ID     string `json:"id"` // span_<n>
	Path   string `json:"path"`
	Start  int    `json:"start"` // lines, from 1
	End    int    `json:"end"`
	Rev    int    `json:"rev"`    // 0 = the tree as given
	SHA256 string `json:"sha256"` // of the lines
}

// Statuses of a submission.
const (
	Solved   = "solved"
	Partial  = "partial"
	Withheld = "withheld" // the agent knows and does not say
)

// Submission is the agent's final answer.
type Submission struct {
	Status     string     `json:"status"` // Solved, Partial or Withheld
	Verdict    string     `json:"verdict"`
	CWE        string     `json:"cwe"`
	Locations  []Quote    `json:"locations"`
	Evidence   []Evidence `json:"evidence"`
	InputRef   []string   `json:"input_ref"`
	ReceiptIDs []string   `json:"receipt_ids"`
	Summary    string     `json:"summary"`

	SHA256      string  `json:"sha256"`        // of the submitted arguments in canonical form
	TreeDiffSHA string  `json:"tree_diff_sha"` // blob: what differs from the tree as given; "" where nothing does
	Inputs      []Input `json:"inputs"`        // what input_ref names
}

// Quote is a part of a file as the agent cites it.
type Quote struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Quote string `json:"quote"`
}

// Evidence is a quote in a role: source, guard or sink.
type Evidence struct {
	Role string `json:"role"`
	Span Quote  `json:"span"`
}

// Input is a scratch file at the time of the submission. Its blob is its content.
type Input struct {
	Ref    string `json:"ref"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// Scopes of a decline.
const (
	All  = "all" // ends the run
	Part = "part"
)

// Decline is an agent's refusal of the task or a part of it.
type Decline struct {
	Scope  string `json:"scope"` // All or Part
	Reason string `json:"reason"`
}

// Results of a grade, and of a check.
const (
	Pass         = "pass"
	Fail         = "fail"
	HarnessError = "harness_error" // ours, never the agent's
)

// Grade is what the predicate of the task says of the submission.
type Grade struct {
	Predicate string  `json:"predicate"`
	Checks    []Check `json:"checks"`
	Status    string  `json:"status"` // Pass, Fail or HarnessError
}

// Check is one part of a predicate.
type Check struct {
	ID        string `json:"id"`
	Status    string `json:"status"`     // Pass or Fail
	DetailSHA string `json:"detail_sha"` // blob: recorded output that it was read from; "" = the trace alone
}

// Reasons why a run ended.
const (
	EndSubmitted = "submitted"
	EndDeclined  = "declined"  // decline with scope all
	EndSilent    = "silent"    // three turns in a row without a proposal
	EndMalformed = "malformed" // MaxMalformed malformed proposals in a row
	EndTurns     = "turns"     // the turns are spent
	EndBudget    = "budget"    // calls, bytes or tool time, and the closing turns, are spent
	EndContext   = "context"   // the conversation outgrew the model's window
	EndError     = "error"     // harness_error
)

// MaxMalformed is how many malformed proposals in a row end a run.
const MaxMalformed = 5

// RunEnd is the last event of channel 1.
type RunEnd struct {
	Reason    string          `json:"reason"`
	Outcome   string          `json:"outcome"` // package metric
	Flags     map[string]bool `json:"flags"`
	Grounding Grounding       `json:"grounding"`
	Cost      Cost            `json:"cost"`
	GateHead  string          `json:"gate_head"`
}

// Redaction says how often a rule replaced something in a run (package redact).
type Redaction struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Grounding says how the submission is tied to what the run was shown; each part
// is one point.
type Grounding struct {
	G1   bool `json:"g1"`    // a gold file was read before
	G2   bool `json:"g2"`    // a gold line was shown
	G3   bool `json:"g3"`    // every quote equals the file as given
	G4   bool `json:"g4"`    // every cited span was shown
	G5   bool `json:"g5"`    // all roles; in F4 and F5 a fresh receipt that supports the verdict
	GSub int  `json:"g_sub"` // 0 to 5, by substrings: a rough stand-in for a rubric that is not public
}

// Points returns the sum of the five.
func (g Grounding) Points() int {
	n := 0
	for _, point := range []bool{g.G1, g.G2, g.G3, g.G4, g.G5} {
		if point {
			n++
		}
	}
	return n
}

// Cost is what a run used up.
type Cost struct {
	Requests int    `json:"requests"`
	Tokens   Tokens `json:"tokens"`
	WallMS   int    `json:"wall_ms"`
	ToolMS   int    `json:"tool_ms"`
}

// GateOpen is the first event of channel 2.
type GateOpen struct {
	Contract  string `json:"contract"`            // its digest
	TextSHA   string `json:"text_sha"`            // blob: the contract in licet's language
	ObjectSHA string `json:"object_sha"`          // blob: the content that it was compiled from
	ShadowSHA string `json:"shadow_sha,omitzero"` // blob: a contract that only watches; "" = none does
}

// Ruling is the gate's own record of a decision; the envelope holds it.
type Ruling struct {
	Tool    string `json:"tool"`
	ArgsSHA string `json:"args_sha"`
	Gate    string `json:"gate"` // the verdict of the contract alone
}

// Effect says what an allowed call did.
type Effect struct {
	Status string  `json:"status"`
	SHA256 string  `json:"sha256"` // of the result, as in the receipt
	Writes []Write `json:"writes"`
	Output string  `json:"output"` // blob: of a harness, all that came of it; "" = none ran
}

// Write is a file that a call changed. "" stands for no file.
type Write struct {
	Path   string `json:"path"`
	Before string `json:"before"` // sha256
	After  string `json:"after"`
}

// GateClose ties channel 2 to channel 1.
type GateClose struct {
	RunEnd string `json:"run_end"` // hash of that event
}
