package importtest

// module is the path of the module; packages are named relative to it.
const module = "github.com/licet-dev/licet"

// layers orders our packages, lowest first. Product code imports only from
// layers below its own. "name/..." means name and all below it, which may
// import one another.
var layers = [][]string{
	// the words of a decision
	{"internal/authz"},

	// the pure core
	{"internal/toolcall"},
	{"internal/catalog", "internal/shell", "internal/sqlcheck", "internal/yamlwalk", "internal/expr"},
	{"internal/constraint", "internal/yamlfmt"},
	{"internal/contract"},
	{"internal/decide"},
	{"internal/explain"},

	// the domain: state machines, what decisions ask about, the transaction
	{"internal/approval", "internal/evidence"},
	{"internal/facts", "internal/judge"},
	{"internal/signals"},
	{"internal/ledger"},

	// the only path to an ALLOW
	{"internal/gate"},

	// doors, pages, adapters, and what comes with the program
	{
		"internal/mcpproxy", "internal/hook", "internal/httpapi", "internal/console",
		"internal/store/memory", "internal/store/sqlite", "internal/store/postgres", "internal/llm",
		"internal/probe", "internal/config", "internal/bank", "contracts",
	},

	// the judge that asks a model, and the operator's list of models
	{"internal/judge/model", "internal/judge/models"},

	// what a contract must answer, played through any door
	{"internal/cases"},
	{"internal/mutate"},

	// the only composition root of the product, and who stands outside
	{"internal/cli"},
	{"internal/lab/..."},
	{"cmd/...", "tools/..."},
}

// leaves are helpers without a place in the order: they import nothing of
// ours, and whoever may touch the system may import them.
var leaves = []string{"internal/durable", "internal/clikit"}

// testOnly names the packages that exist for tests. Only tests, and one
// another, import them; like tests they may import all but the lab.
var testOnly = []string{
	"internal/storetest", "internal/testkit", "internal/importtest", "internal/doctest", "internal/shelltrace",
}

// pure names the packages whose result depends on their arguments alone, so
// that a decision can be repeated and explained later. internal/sqlcheck is so,
// too, but stands beside it: the runtime that holds PostgreSQL's parser is given
// a deadline, as that parser may not come back.
var pure = []string{
	"internal/authz", "internal/toolcall", "internal/catalog", "internal/shell", "internal/yamlwalk",
	"internal/yamlfmt", "internal/expr", "internal/constraint", "internal/contract", "internal/decide", "internal/explain",
}

// impure names what pure packages do not import: each reaches a clock, a
// disk, a network, a log or a source of chance. A name covers what is below.
var impure = []string{
	"context", "os", "net", "log", "math/rand", "crypto/rand", "syscall", "internal/durable",
}

// textual names packages below impure ones that only read and write text.
var textual = []string{"net/netip", "net/url"}

// clock names what pure packages do not call; package time itself is welcome
// for its types.
var clock = []string{
	"Now", "Since", "Until", "After", "AfterFunc", "Tick", "Sleep", "NewTimer", "NewTicker",
}

// rule narrows what the layers would permit to the product code of some
// packages.
type rule struct {
	of    []string // packages, or "name/..."
	never []string // they import none of these
	only  []string // where not nil: of ours they import nothing else
	why   string
}

var rules = []rule{
	{
		of:    []string{"internal/mcpproxy", "internal/hook", "internal/httpapi"},
		never: []string{"internal/decide", "internal/contract", "internal/judge", "internal/ledger"},
		why:   "doors ask the gate and decide nothing themselves",
	},
	{
		of:    []string{"internal/console"},
		never: []string{"internal/gate", "internal/decide"},
		why:   "pages show and answer tickets; they cannot make a grant",
	},
	{
		of:   []string{"internal/store/memory", "internal/store/sqlite", "internal/store/postgres"},
		only: []string{"internal/ledger", "internal/evidence", "internal/approval", "internal/authz", "internal/toolcall", "internal/durable"},
		why:  "stores know the records they keep and not what these mean",
	},
	{
		of:   []string{"internal/bank"},
		only: []string{"internal/toolcall", "internal/catalog"},
		why:  "the bundled server is a stranger behind the gate, like any other",
	},
	{
		of:   []string{"internal/probe"},
		only: []string{"internal/toolcall", "internal/catalog", "internal/clikit"},
		why:  "it asks a server what it offers and decides nothing",
	},
	{
		of:   []string{"internal/llm"},
		only: []string{"internal/toolcall"},
		why:  "it asks and answers, and knows nothing of what is judged",
	},
	{
		of:   []string{"cmd/licet"},
		only: []string{"internal/cli"},
		why:  "main is one statement",
	},
	{
		of:   []string{"cmd/licet-lab"},
		only: []string{"internal/lab/cli"},
		why:  "main is one statement",
	},
	{
		of:   []string{"cmd/licet-hook"},
		only: []string{},
		why:  "a hook starts on every tool call and must start fast",
	},
	{
		of:   []string{"tools/..."},
		only: []string{},
		why:  "what checks the code does not depend on it",
	},
}
