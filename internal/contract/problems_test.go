package contract_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/contract"
)

// small is the contract that the cases below spoil, one place each.
const small = `version: 1
name: small
catalogs:
  bank: {pin: BANK, tools: catalogs/bank.json}
agents:
  a:
    tools:
      bank.send_money:
        allow:
          - amount: {max: 10}
        limits:
          - {calls: 5, per: 1h}
    limits:
      - {calls: 9, per: session}
approvals: {expire: 15m}
evidence: {redact: {bank.send_money: [note]}}
`

// problems are all ways to be refused, with everything that is said: old is
// replaced by new, or the whole text if old is empty. BANK stands for the digest
// of the bank's catalog, DEEP and LONG for a nested list and a long number.
var problems = []struct{ name, old, new, want string }{
	{"unknown word, near", "name: small", "nam: small",
		`2:1: unknown word "nam" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence; did you mean "name"?`},
	{"unknown word, far", "name: small", "blah: small", `
1:1: a contract needs "name"
2:1: unknown word "blah" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence`},
	{"a model's setting for the judge without one", "name: small", "name: small\njudge: {policy: rules}",
		`3:9: builtin/grounded asks no model, so "policy" has no place here; remove it, or name a model`},
	{"a policy that is not there", "name: small", "name: small\njudge: {model: m, policy: p.md}",
		`3:27: unknown word "p.md" in policy: expected rules or implicit`},
	{"a judge that licet does not bring", "name: small", "name: small\njudge: {model: builtin/other}",
		`3:16: no judge "builtin/other" comes with licet; write builtin/grounded, or name a model of the operator's file`},
	{"an even number of votes", "name: small", "name: small\njudge: {model: m, votes: 2}",
		`3:26: votes can be 1, 3 or 5`},
	{"a view of a later version", "name: small", "name: small\njudge: {model: m, view: [\"+prose\"]}",
		`3:26: "+prose" is not in this version of licet`},
	{"unknown outcome of the judge", "name: small", "name: small\njudge: {on_block: allow}",
		`3:19: unknown word "allow" in an outcome of the judge: expected block or approve`},
	{"the judge as a word", "name: small", "name: small\njudge: builtin/grounded",
		`3:8: expected judge as a mapping, found "builtin/grounded"`},
	{"a wrong version", "version: 1", "version: 2",
		"1:10: version 2 of the language is not known: expected 1"},
	{"a version as text", "version: 1", `version: "1"`,
		`1:10: expected the number of the language version, found "1"`},
	{"no version", "version: 1\n", "",
		`1:1: a contract needs "version"`},
	{"no agents", "agents:\n  a:", "nothing:\n  a:", `
1:1: a contract needs "agents"
5:1: unknown word "nothing" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence`},
	{"a bad name", "name: small", `name: "small contract"`,
		`2:7: "small contract" is no name of a contract; use up to 100 letters, digits, _ and -`},
	{"a name as number", "name: small", "name: 7",
		"2:7: expected the name of a contract, found 7; quote it"},
	{"not a mapping", "", "- version: 1\n",
		"1:1: expected a contract as a mapping, found a list"},
	{"empty name", "name: small", "name:",
		"2:6: expected the name of a contract, found nothing"},
	{"unknown word in a catalog", "{pin: BANK", "{pn: BANK",
		`4:10: unknown word "pn" in a catalog: expected pin, tools or resolve; did you mean "pin"?`},
	{"pin absent", "{pin: BANK, ", "{",
		"4:9: a catalog needs \"pin\"; catalogs/bank.json has the digest BANK; look at `licet catalog diff`, then run `licet catalog pin`"},
	{"pin empty", "{pin: BANK", "{pin: ",
		"4:15: the pin is empty; catalogs/bank.json has the digest BANK; look at `licet catalog diff`, then run `licet catalog pin`"},
	{"pin of another copy", "{pin: BANK", "{pin: sha256:00",
		"4:15: the pin is \"sha256:00\", but catalogs/bank.json has the digest BANK; look at `licet catalog diff`, then run `licet catalog pin`"},
	{"pin as list", "{pin: BANK", "{pin: [BANK]",
		"4:15: expected the digest of catalogs/bank.json, found a list"},
	{"catalog not found", "catalogs/bank.json", "catalogs/bonk.json",
		"4:95: catalogs/bonk.json: no such file"},
	{"catalog no JSON", "catalogs/bank.json", "broken.json",
		`4:95: broken.json: reading catalog: line 1, column 15 (at "/tools"): duplicate member`},
	{"catalog file not text", "catalogs/bank.json", "7",
		"4:95: expected the file of the approved tools, found 7; quote it"},
	{"no catalog file", ", tools: catalogs/bank.json", "",
		`4:9: a catalog needs "tools"`},
	{"builtin catalog", "{pin: BANK, tools: catalogs/bank.json}", "builtin/1",
		`4:9: the catalog "builtin/1" is not in this version of licet`},
	{"catalog as text", "{pin: BANK, tools: catalogs/bank.json}", "bank.json",
		`4:9: expected a catalog as a mapping, found "bank.json"`},
	{"resolve", "tools: catalogs/bank.json}", "tools: catalogs/bank.json, resolve: nona}",
		`4:124: unknown word "nona" in resolve: expected none; did you mean "none"?`},
	{"resolve no text", "tools: catalogs/bank.json}", "tools: catalogs/bank.json, resolve: false}",
		`4:124: expected the word "none", found false; quote it`},
	{"bad server name", "  bank: {pin", "  b.ank: {pin", `
4:3: "b.ank" is no name of a server; use up to 100 letters, digits, _ and -
8:7: unknown server "bank": the contract has b.ank; did you mean "b.ank"?
16:21: unknown server "bank": the contract has b.ank; did you mean "b.ank"?`},
	{"catalogs as list", "catalogs:\n  bank: {pin: BANK, tools: catalogs/bank.json}", "catalogs: []", `
3:11: expected a mapping of servers to catalogs, found a list
7:7: unknown server "bank": the contract has 0 catalogs, none of that name
15:21: unknown server "bank": the contract has 0 catalogs, none of that name`},
	{"agents as list", "  a:\n    tools:", "  - a\n  - tools:",
		"6:3: expected a mapping of agents, found a list"},
	{"bad agent name", "  a:\n", "  a b:\n",
		`6:3: "a b" is no name of an agent; use up to 100 letters, digits, _ and -`},
	{"agent without tools", "a:\n    tools:\n", "a:\n    tool:\n",
		`7:5: unknown word "tool" in an agent: expected authenticate, extends, mode, tools or limits; did you mean "tools"?`},
	{"unknown server", "bank.send_money:\n", "bonk.send_money:\n",
		`8:7: unknown server "bonk": the contract has bank; did you mean "bank"?`},
	{"unknown tool, near", "bank.send_money:\n", "bank.send_mony:\n",
		`8:7: unknown tool "send_mony": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money; did you mean "send_money"?`},
	{"unknown tool, far", "bank.send_money:\n", "bank.x:\n",
		`8:7: unknown tool "x": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
	{"no server", "bank.send_money:\n", "send_money:\n",
		`8:7: "send_money" is no tool: expected server.tool`},
	{"tool names are compared byte for byte", "bank.send_money:\n", "bank.Send_Money:\n",
		`8:7: unknown tool "Send_Money": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money; did you mean "send_money"?`},
	{"unknown word in a rule", "        allow:\n", "        alow:\n",
		`9:9: unknown word "alow" in a tool rule: expected allow, judge, approve, never, limits or extra_arguments; did you mean "allow"?`},
	{"an unknown signal", "- amount", "- $signal: {git_state.dirt: {max: 0}}\n            amount",
		`10:23: unknown key of git_state "dirt": expected repository, branch, staged, dirty, untracked, ignored, stash, unpushed, worktrees, operation; did you mean "dirty"?`},
	{"unknown shorthand", "bank.send_money:\n", "bank.get_balance: alow\n      bank.send_money:\n",
		`8:25: unknown word "alow" in a tool rule: expected allow, judge, approve or block; did you mean "allow"?`},
	{"rule left empty", "bank.send_money:\n", "bank.get_balance:\n      bank.send_money:\n",
		"8:24: expected allow, judge, approve, block or a mapping, found nothing"},
	{"rule that permits nothing", "        allow:\n", "        never:\n",
		`8:7: the rule permits nothing: expected allow, judge or approve; to refuse every call, write "block"`},
	{"empty list", "- amount: {max: 10}", "[]",
		`10:11: an empty list; remove "allow" or add an entry`},
	{"clauses as mapping", "- amount: {max: 10}", "amount: {max: 10}",
		"10:11: expected a list of clauses, found a mapping"},
	{"clause as text", "- amount: {max: 10}", "- amount",
		`10:13: expected a clause: a mapping of arguments to constraints, found "amount"`},
	{"no signal", "- amount: {max: 10}", "- $signal: {}",
		"10:13: expected {git_targets.untracked_affected: {max: 0}}, got an empty object"},
	{"unknown argument, near", "- amount: {max: 10}", "- amont: {max: 10}",
		`10:13: unknown argument amont of send_money: its inputSchema declares amount, note, recipient, urgent; did you mean "amount"?`},
	{"unknown argument, far", "- amount: {max: 10}", "- x: {max: 10}",
		"10:13: unknown argument x of send_money: its inputSchema declares amount, note, recipient, urgent"},
	{"argument below a number", "- amount: {max: 10}", "- amount.x: {max: 10}",
		`10:13: unknown argument amount.x of send_money: "x" stands for a member of an object, but there is a number`},
	{"elements of a number", "- amount: {max: 10}", "- amount[]: {max: 10}",
		"10:13: unknown argument amount[] of send_money: [] stands for the elements of an array, but there is a number"},
	{"bad path", "- amount: {max: 10}", "- amount..x: {max: 10}",
		`10:13: path "amount..x", byte 6: expected a name; one with other characters than letters, digits, "_" and "-" is written ["..."]`},
	{"argument twice", "- amount: {max: 10}", "- amount: {max: 10}\n            '[\"amount\"]': {min: 1}",
		"11:13: the argument amount stands in the clause twice"},
	{"unknown constraint", "{max: 10}", "{mx: 10}",
		`10:22: unknown constraint "mx": expected const, email, from, identifiers, in, items, length, max, min, multiple_of, not_in, path, pattern, shell, sql, url, optional; did you mean "max"?`},
	{"a command that is a number", "{max: 10}", "{shell: {run: [x]}}",
		`10:22: "shell" is for a string, but amount is a number`},
	{"no constraint", "{max: 10}", "{}",
		"10:13: no constraint stands beside the argument"},
	{"constraint as text", "{max: 10}", "small",
		`10:21: expected a mapping of constraints, found "small"`},
	{"constraint left empty", "{max: 10}", "{max: }",
		`10:27: expected a value, found nothing; write null, or "" for empty text`},
	{"constraint of the wrong kind", "{max: 10}", `{max: "10"}`,
		"10:22: expected a number, got string"},
	{"constraint that the argument cannot have", "- amount: {max: 10}", "- recipient: {max: 10}\n            amount: {length: {max: 1}}", `
10:25: "max" is for a number, but recipient is a string
11:22: "length" is for a string, but amount is a number`},
	{"literal that the argument cannot have", "{max: 10}", `{in: [1, "2", true], const: x}`, `
10:30: "2" is a string, but amount is a number
10:35: true is a boolean, but amount is a number
10:49: "x" is a string, but amount is a number`},
	{"impossible bounds", "{max: 10}", "{max: 10, min: 11}",
		"10:31: min 11 is more than max 10: nothing can hold"},
	{"source that is no tool", "{max: 10}", "{from: {result: bank.get_contact, at: x}}",
		`10:29: unknown tool "get_contact": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money; did you mean "get_contacts"?`},
	{"source of an unknown server", "{max: 10}", "{from: [request, {result: bonk.get_contacts}]}",
		`10:39: unknown server "bonk": the contract has bank; did you mean "bank"?`},
	{"from in never", "        allow:\n          - amount: {max: 10}", "        allow: [{}]\n        never:\n          - amount: {from: request}",
		"11:22: from cannot stand in a never clause: that a value is not known to be stated does not make it safe"},
	{"upper bound of items in never", "bank.send_money:\n", "bank.send_batch:\n        allow: [{}]\n        never: [{transfers: {items: {max: 3}}}]\n      bank.send_money:\n",
		"10:30: items in a never clause takes min only: one more element in the argument would turn an upper bound off"},
	{"whole array", "bank.send_money:\n", "bank.send_batch:\n        allow: [{day: {min: 1}, \"transfers[].tags\": {pattern: x}}]\n      bank.send_money:\n", `
9:24: "min" is for a number, but day is a string
9:54: "pattern" is for a string, but transfers[].tags is an array; write "transfers[].tags[]" to constrain every element`},
	{"schema that cannot be enforced", "catalogs/bank.json", "strange.json",
		"4:15: the pin is \"BANK\", but strange.json has the digest sha256:0ed8512e1e42847868daa0f314e443c57d83af55388220af393edf7585f1cf33; look at `licet catalog diff`, then run `licet catalog pin`\n8:7: the inputSchema of bank.send_money cannot be enforced: schema cannot be compiled exactly: failing loading \"https://example.org/amount\": a schema may refer to nothing outside itself; only \"block\" can stand beside this tool"},
	{"limit without what", "{calls: 5, per: 1h}", "{per: 1h}",
		`12:13: a limit needs either "calls" or "sum"`},
	{"limit of both", "{calls: 5, per: 1h}", "{calls: 5, sum: amount, max: 1, per: 1h}",
		`12:13: a limit needs either "calls" or "sum"`},
	{"limit with two bounds", "{calls: 5, per: 1h}", "{calls: 5, max: 1, per: 1h}",
		`12:29: "max" stands beside "sum" only; "calls" is its own bound`},
	{"limit without window", "{calls: 5, per: 1h}", "{calls: 5}",
		`12:13: a limit needs "per"`},
	{"limit of no calls", "{calls: 5, per: 1h}", "{calls: 0, per: 1h}",
		"12:21: expected a whole number from 1 to 1000000000, found 0"},
	{"limit of half a call", "{calls: 5, per: 1h}", "{calls: 0.5, per: 1h}",
		"12:21: expected a whole number from 1 to 1000000000, found 0.5"},
	{"limit as text", "{calls: 5, per: 1h}", `{calls: "5", per: 1h}`,
		`12:21: expected a number of calls, found "5"`},
	{"sum without bound", "{calls: 5, per: 1h}", "{sum: amount, per: 1h}",
		`12:13: a limit with "sum" needs "max"`},
	{"sum of text", "{calls: 5, per: 1h}", "{sum: note, max: 1, per: 1h}",
		"12:19: a sum adds numbers, but note of send_money is a string"},
	{"sum of nothing known", "{calls: 5, per: 1h}", "{sum: amout, max: 1, per: 1h}",
		`12:19: unknown argument amout of send_money: its inputSchema declares amount, note, recipient, urgent; did you mean "amount"?`},
	{"sum with bound 0", "{calls: 5, per: 1h}", "{sum: amount, max: 0, per: 1h}",
		`12:32: expected a number above 0, found 0; to refuse every call, write "block"`},
	{"sum with bound as text", "{calls: 5, per: 1h}", `{sum: amount, max: "5", per: 1h}`,
		`12:32: expected the bound of a sum, found "5"`},
	{"sum over tools that do not have it", "bank.send_money:\n        allow:\n          - amount: {max: 10}\n        limits:\n          - {calls: 5, per: 1h}\n    limits:\n      - {calls: 9, per: session}", "bank.get_balance: allow\n      bank.send_money: allow\n    limits:\n      - {sum: amount, max: 9, per: session}",
		"11:15: unknown argument amount of get_balance: its inputSchema declares no member here"},
	{"unknown word in a limit", "{calls: 5, per: 1h}", "{cals: 5, per: 1h}",
		`12:14: unknown word "cals" in a limit: expected calls, sum, max, per, by or over; did you mean "calls"?`},
	{"unknown unit", "{calls: 5, per: 1h}", "{calls: 5, per: 1y}",
		`12:29: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "1y"`},
	{"no whole number of units", "{calls: 5, per: 1h}", "{calls: 5, per: 1.5h}",
		`12:29: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "1.5h"`},
	{"duration as number", "{calls: 5, per: 1h}", "{calls: 5, per: 3600}",
		"12:29: expected a duration such as 90s, 15m, 1h, 1d or 1w, found 3600"},
	{"duration beyond all bounds", "{calls: 5, per: 1h}", "{calls: 5, per: 999999999w}",
		"12:29: a duration of more than ten years: 999999999w"},
	{"limits as mapping", "\n          - {calls: 5, per: 1h}", " {calls: 5, per: 1h}",
		"11:17: expected a list of limits, found a mapping"},
	{"no limits", "\n          - {calls: 5, per: 1h}", " []",
		`11:17: an empty list; remove "limits" or add an entry`},
	{"limit as word", "- {calls: 5, per: 1h}", "- calls",
		`12:13: expected a limit as a mapping, found "calls"`},
	{"unknown word in approvals", "{expire: 15m}", "{expires: 15m}",
		`15:13: unknown word "expires" in approvals: expected expire, approvers or quorum; did you mean "expire"?`},
	{"approvals", "{expire: 15m}", `{expire: 0m, quorum: 0, approvers: [a, a, "b c", 7]}`, `
15:21: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "0m"
15:33: expected a whole number from 1 to 100, found 0
15:47: "a" stands in the list twice
15:54: "b c" is no name of an approver; use up to 100 letters, digits, _ and -
15:61: expected the name of an approver, found 7; quote it`},
	{"approvers as text", "{expire: 15m}", "{approvers: ops}",
		`15:24: expected a list of approvers, found "ops"`},
	{"no approvers", "{expire: 15m}", "{approvers: []}",
		`15:24: an empty list; remove "approvers" or add an entry`},
	{"approvals as text", "{expire: 15m}", "15m",
		`15:12: expected approvals as a mapping, found "15m"`},
	{"unknown word in evidence", "{redact: {bank.send_money: [note]}}", "{redacts: {}}",
		`16:12: unknown word "redacts" in evidence: expected redact; did you mean "redact"?`},
	{"redaction of an unknown tool", "bank.send_money: [note]", "bank.send: [note]",
		`16:21: unknown tool "send": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
	{"redaction of an unknown argument", "[note]", "[nota]",
		`16:39: unknown argument nota of send_money: its inputSchema declares amount, note, recipient, urgent; did you mean "note"?`},
	{"redaction as text", "[note]", "note",
		`16:38: expected a list of arguments, found "note"`},
	{"redaction of nothing", "[note]", "[]",
		`16:38: an empty list; remove "bank.send_money" or add an entry`},
	{"redaction twice", "[note]", `[note, '["note"]']`,
		`16:38: "note" stands in the list twice`},
	{"redaction of a number", "[note]", "[7]",
		"16:39: expected the path of an argument, found 7; quote it"},
	{"redaction as list", "{redact: {bank.send_money: [note]}}", "{redact: [note]}",
		"16:20: expected a mapping of tools to lists of arguments, found a list"},
	{"no YAML", "version: 1", "version: [1",
		"2:5: not YAML: did not find expected ',' or ']'"},
	{"a tab", "version: 1", "version: 1\n\tname: x",
		"2:1: not YAML: found a tab character that violates indentation"},
	{"empty", "", "",
		"1:1: the contract is empty"},
	{"only a comment", "", "# nothing",
		"1:1: the contract is empty"},
	{"a second document", "version: 1", "version: 1\n---\nversion: 1", `
1:1: a contract needs "name"
1:1: a contract needs "agents"
2:1: a second YAML document; a contract is one document`},
	{"a directive", "version: 1", "%YAML 1.1\n---\nversion: 1",
		"1:1: a YAML directive; remove it"},
	{"an alias", "name: small", "name: &n small\nname2: *n", `
2:7: an anchor (&n); remove it
3:1: unknown word "name2" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence; did you mean "name"?
3:8: an alias (*n); write the value out`},
	{"a merge key", "name: small", "name: small\n<<: {version: 1}",
		"3:1: a merge key (<<); write the members out"},
	{"a tag", "name: small", "name: !!str small",
		"2:7: a tag (!!str); remove it"},
	{"a tag of no kind", "name: small", "name: ! small",
		"2:7: a tag (!); remove it"},
	{"a duplicate key", "name: small", "name: small\nname: small",
		`3:1: the key "name" occurs twice, first in line 2`},
	{"a duplicate in a constraint", "{max: 10}", `{max: 10, "max": 11}`,
		`10:31: the key "max" occurs twice, first in line 10`},
	{"keys that are no text", "name: small", "name: small\n1: a\ntrue: b\n[a]: c\n\"\": d", `
3:1: a key that is no text; quote it
4:1: a key that is no text; quote it
5:1: a key that is no text; quote it
6:1: unknown word "" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence`},
	{"a key that versions read differently", "name: small", "name: small\nno: a\n010: b", `
3:1: YAML versions read no differently; quote it if it is text, or write it as JSON does
4:1: YAML versions read 010 differently; quote it if it is text, or write it as JSON does`},
	{"ambiguous numbers", "{max: 10}", "{in: [010, 0x1F, 0o17, 1_000, 1:30, +1, .5, 1., 1e3, 1.5e3, .inf, -.INF, .nan, 0b1]}", `
10:27: YAML versions read 010 differently; quote it if it is text, or write it as JSON does
10:32: YAML versions read 0x1F differently; quote it if it is text, or write it as JSON does
10:38: YAML versions read 0o17 differently; quote it if it is text, or write it as JSON does
10:44: YAML versions read 1_000 differently; quote it if it is text, or write it as JSON does
10:51: YAML versions read 1:30 differently; quote it if it is text, or write it as JSON does
10:57: YAML versions read +1 differently; quote it if it is text, or write it as JSON does
10:61: YAML versions read .5 differently; quote it if it is text, or write it as JSON does
10:65: YAML versions read 1. differently; quote it if it is text, or write it as JSON does
10:69: YAML versions read 1e3 differently; quote it if it is text, or write it as JSON does
10:74: YAML versions read 1.5e3 differently; quote it if it is text, or write it as JSON does
10:81: YAML versions read .inf differently; quote it if it is text, or write it as JSON does
10:87: YAML versions read -.INF differently; quote it if it is text, or write it as JSON does
10:94: YAML versions read .nan differently; quote it if it is text, or write it as JSON does
10:100: YAML versions read 0b1 differently; quote it if it is text, or write it as JSON does`},
	{"ambiguous words", "{max: 10}", `{in: [yes, No, ON, off, y, N, TRUE, False, ~, Null, NULL, 2024-01-02, "=", =]}`, `
10:27: YAML versions read yes differently; quote it if it is text, or write it as JSON does
10:32: YAML versions read No differently; quote it if it is text, or write it as JSON does
10:36: YAML versions read ON differently; quote it if it is text, or write it as JSON does
10:40: YAML versions read off differently; quote it if it is text, or write it as JSON does
10:45: YAML versions read y differently; quote it if it is text, or write it as JSON does
10:48: YAML versions read N differently; quote it if it is text, or write it as JSON does
10:51: YAML versions read TRUE differently; quote it if it is text, or write it as JSON does
10:57: YAML versions read False differently; quote it if it is text, or write it as JSON does
10:64: YAML versions read ~ differently; quote it if it is text, or write it as JSON does
10:67: YAML versions read Null differently; quote it if it is text, or write it as JSON does
10:73: YAML versions read NULL differently; quote it if it is text, or write it as JSON does
10:79: YAML versions read 2024-01-02 differently; quote it if it is text, or write it as JSON does
10:91: "=" is a string, but amount is a number
10:96: YAML versions read = differently; quote it if it is text, or write it as JSON does`},
	{"numbers of too many digits", "{max: 10}", "{max: LONG}",
		"10:27: number has more than 400 digits written out"},
	{"a byte order mark", "", "\ufeffversion: 1",
		`1:1: the invisible or control character U+FEFF; remove it, or write it as an escape such as "\u200B" between double quotes`},
	{"invalid UTF-8", "name: small", "name: sm\xffall",
		"2:9: invalid UTF-8"},
	{"control characters", "name: small", "name: sm\x01all # \u202e", `
2:9: the invisible or control character U+0001; remove it, or write it as an escape such as "\u200B" between double quotes
2:16: the invisible or control character U+202E; remove it, or write it as an escape such as "\u200B" between double quotes`},
	{"other line breaks", "name: small", "name: small # a\u2028name: b",
		`2:16: the invisible or control character U+2028; remove it, or write it as an escape such as "\u200B" between double quotes`},
	{"a carriage return", "name: small", "name: small # a\rname: b",
		`2:16: the invisible or control character U+000D; remove it, or write it as an escape such as "\u200B" between double quotes`},
	{"too deep", "{max: 10}", "{const: DEEP}", `
10:29: a list is an array, but amount is a number
10:85: nested more than 64 deep`},
	{"several at once", "{expire: 15m}", "{expire: 1y}\nextra: 1\nname2: no", `
15:21: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "1y"
16:1: unknown word "extra" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence
17:1: unknown word "name2" in a contract: expected version, name, catalogs, labels, agents, approvals, judge or evidence; did you mean "name"?
17:8: YAML versions read no differently; quote it if it is text, or write it as JSON does`},
	{"null in a constraint", "{max: 10}", "{in: [null, 1]}",
		"10:27: null counts as an absent argument, which no constraint matches"},
	{"a label", "name: small", "name: small\nlabels: {a.b: [bank.send_money], c: [], d: [bank.send, 7, bank.send_money, bank.send_money], e: bank.x, f: [bank.*]}", `
3:10: "a.b" is no name of a label; use up to 100 letters, digits, _ and -
3:37: an empty list; remove "c" or add an entry
3:44: "bank.send_money" stands in the list twice
3:45: unknown tool "send": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money
3:56: expected a tool as server.tool, found 7; quote it
3:97: expected a list of tools, found "bank.x"
3:109: unknown tool "*": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
	{"labels as list", "name: small", "name: small\nlabels: []",
		"3:9: expected a mapping of labels to lists of tools, found a list"},
	{"authenticate", "  a:\n", "  a:\n    authenticate: a\n", "7:19: expected authenticate as a mapping, found \"a\""},
	{"authenticate without a token", "  a:\n", "  a:\n    authenticate: {tokn: a}\n", `7:20: unknown word "tokn" in authenticate: expected token; did you mean "token"?`},
	{"authenticate with nothing", "  a:\n", "  a:\n    authenticate: {}\n", `7:19: authenticate needs "token"`},
	{"a token that is no name", "  a:\n", "  a:\n    authenticate: {token: a b}\n", `7:27: "a b" is no name of a credential; use up to 100 letters, digits, _ and -`},
	{"one credential for two agents", "  a:\n", "  b: {extends: a, authenticate: {token: t}}\n  a:\n    authenticate: {token: t}\n",
		`8:27: the credential "t" speaks for agent "b" already; one credential speaks for one agent`},
	{"mode, misspelt", "  a:\n", "  a:\n    mode: shadw\n", `7:11: unknown word "shadw" in mode: expected shadow; did you mean "shadow"?`},
	{"mode in other letter case", "  a:\n", "  a:\n    mode: Shadow\n", `7:11: unknown word "Shadow" in mode: expected shadow; did you mean "shadow"?`},
	{"mode: enforce", "  a:\n", "  a:\n    mode: enforce\n", `7:11: unknown word "enforce" in mode: expected shadow`},
	{"mode as truth value", "  a:\n", "  a:\n    mode: true\n", `7:11: expected the word "shadow", found true; quote it`},
	{"mode left empty", "  a:\n", "  a:\n    mode:\n", `7:10: expected the word "shadow", found nothing`},
	{"shadow as a word of the agent", "  a:\n", "  a:\n    shadow: true\n",
		`7:5: unknown word "shadow" in an agent: expected authenticate, extends, mode, tools or limits`},
	{"extends nobody", "  a:\n", "  a:\n    extends: bb\n", `7:14: unknown agent "bb": the contract has a`},
	{"extends somebody misspelt", "  a:\n", "  a1234: {extends: a123}\n  a:\n", `6:20: unknown agent "a123": the contract has a, a1234; did you mean "a1234"?`},
	{"extends itself", "  a:\n", "  a:\n    extends: a\n", `7:14: agents extend one another: a extends a`},
	{"extends in a circle", "  a:\n", "  c: {extends: b}\n  b: {extends: a}\n  a:\n    extends: c\n", `9:14: agents extend one another: c extends b extends a extends c`},
	{"extends a list", "  a:\n", "  a:\n    extends: [a]\n", `7:14: expected the name of an agent, found a list`},
	{"extends too far", "  a:\n", lastFirst(9) + "  a:\n", `6:17: more than 8 agents extend one another in a row`},
	{"extends too far, in order", "agents:\n  a:\n    tools:", "agents:\n  a0: {tools: {}}\n" + ordered(9) + "  a:\n    tools:", `15:17: more than 8 agents extend one another in a row`},
	{"extension that lists more", "  a:\n", "  b: {extends: a, tools: {bank.get_balance: allow, bank.send_money: block}}\n  a:\n",
		`6:27: bank.get_balance is not listed by agent "a", which is extended here; an extension only narrows`},
	{"extension with a group of more", "  a:\n", "  b: {extends: a, tools: {bank.get_*: allow}}\n  a:\n",
		`6:27: no tool that agent "a" lists has a name that begins with "get_"`},
	{"extension with another method", "  a:\n", "  b: {extends: a, tools: {\"bank:prompts/get\": allow}}\n  a:\n",
		`6:27: bank:prompts/get is not listed by agent "a", which is extended here; an extension only narrows`},
	{"group that matches nothing", "bank.send_money:\n", "bank.x*:\n", `8:7: no tool of catalogs/bank.json has a name that begins with "x"`},
	{"group with two stars", "bank.send_money:\n", "\"bank.*_*\":\n", `8:7: "bank.*_*" is no group of tools: one * stands at the end`},
	{"group with a star inside", "bank.send_money:\n", "\"bank.s*d\":\n", `8:7: unknown tool "s*d": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
	{"group of an unknown server", "bank.send_money:\n", "bonk.*:\n", `8:7: unknown server "bonk": the contract has bank; did you mean "bank"?`},
	{"group with an argument of one tool", "bank.send_money:\n", "bank.get_*: {allow: [{amount: {max: 1}}]}\n      bank.send_money:\n",
		"8:29: unknown argument amount of get_balance: its inputSchema declares no member here\n8:29: unknown argument amount of get_contacts: its inputSchema declares no member here"},
	{"method that does not act", "bank.send_money:\n", "bank:tools/list: allow\n      bank.send_money:\n",
		`8:7: "tools/list" is no method that a contract lists: expected completion/complete, elicitation/create, prompts/get, resources/read, roots/list or sampling/createMessage; did you mean "roots/list"?`},
	{"method, misspelt", "bank.send_money:\n", "bank:resource/read: allow\n      bank.send_money:\n",
		`8:7: "resource/read" is no method that a contract lists: expected completion/complete, elicitation/create, prompts/get, resources/read, roots/list or sampling/createMessage; did you mean "resources/read"?`},
	{"method of an unknown server", "bank.send_money:\n", "bonk:resources/read: allow\n      bank.send_money:\n",
		`8:7: unknown server "bonk": the contract has bank; did you mean "bank"?`},
	{"param that a method does not have", "bank.send_money:\n", "bank:resources/read: {allow: [{url: {max: 1}}]}\n      bank.send_money:\n",
		`8:38: unknown argument url of resources/read: its inputSchema declares uri; did you mean "uri"?`},
	{"extra_arguments", "        limits:\n", "        extra_arguments: true\n        limits:\n", `11:26: expected the word "allow", found true; quote it`},
	{"extra_arguments, misspelt", "        limits:\n", "        extra_arguments: alow\n        limits:\n", `11:26: unknown word "alow" in extra_arguments: expected allow; did you mean "allow"?`},
	{"unknown condition", "- amount: {max: 10}", "- $sesion: {called: [x]}",
		`10:13: unknown word "$sesion" in a clause: expected $session, $request, $signal, $when, $approvers or $quorum; did you mean "$session"?`},
	{"condition on no tool", "- amount: {max: 10}", "- $session: {called: [bank.send], not_called: [private]}",
		`10:33: unknown tool "send": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
	{"condition on no label", "- amount: {max: 10}", "- $session: {not_called: [privat]}",
		`10:37: "privat" is no label of the contract, and a tool is written server.tool`},
	{"distinct of an argument that is not declared", "- amount: {max: 10}", "- $session: {distinct: {argument: to, max: 3}}",
		"10:35: unknown argument to of bank.send_money: its inputSchema declares amount, note, recipient, urgent"},
	{"distinct in never", "        allow:\n          - amount: {max: 10}", "        allow: [{}]\n        never: [{$session: {distinct: {argument: note, max: 3}}}]",
		"10:29: distinct in a never clause would be turned off by one more value: bound it in allow and approve"},
	{"optional in never", "        allow:\n          - amount: {max: 10}", "        allow: [{}]\n        never: [{amount: {max: 10, optional: true}}]",
		"10:36: optional cannot stand in a never clause: an absent argument is nothing to forbid"},
	{"identifiers in never", "        allow:\n          - amount: {max: 10}", "        allow: [{}]\n        never: [{note: {identifiers: {from: request}}}]",
		"10:25: identifiers cannot stand in a never clause: that a value is not known to be stated does not make it safe"},
	{"expression", "- amount: {max: 10}", "- $when: call.arguments.amount < 5 && call.agnt == 'x'",
		"10:53: CEL: undeclared reference to 'call.agnt' (did you mean 'call.agent'?)"},
	{"expression in quotes", "- amount: {max: 10}", `- $when: "call.agnt == 'x'"`,
		"10:25: CEL: undeclared reference to 'call.agnt' (did you mean 'call.agent'?)"},
	{"expression in a block", "- amount: {max: 10}", "- $when: |\n              call.tool == 'x' &&\n                call.agnt == 'x'",
		"12:21: CEL: undeclared reference to 'call.agnt' (did you mean 'call.agent'?)"},
	{"expression that is folded", "- amount: {max: 10}", "- $when: >\n              call.tool == 'x' &&\n              call.agnt == 'x'",
		"10:20: CEL: undeclared reference to 'call.agnt' (did you mean 'call.agent'?)"},
	{"expression of another type", "- amount: {max: 10}", "- $when: call.arguments.amount",
		"10:20: CEL: the expression must be true or false, but it is of type dyn"},
	{"expression left empty", "- amount: {max: 10}", "- $when:",
		`10:19: expected a value, found nothing; write null, or "" for empty text`},
	{"approvers in allow", "- amount: {max: 10}", "- $approvers: [ops]\n            $quorum: 1", `
10:13: "$approvers" says who answers: it stands in clauses of approve only
11:13: "$quorum" says who answers: it stands in clauses of approve only`},
	{"approvers of a clause", "        allow:\n          - amount: {max: 10}", "        approve: [{$approvers: ops, $quorum: 0}, {$approvers: [ops], $quorum: 2}, {$approvers: []}]", `
9:32: expected a list of approvers, found "ops"
9:46: expected a whole number from 1 to 100, found 0
9:50: 2 approvers must agree, but 1 may answer: ops
9:96: an empty list; remove "approvers" or add an entry`},
	{"quorum that cannot be reached", "{expire: 15m}", "{quorum: 3, approvers: [a, b]}",
		"15:12: 3 approvers must agree, but 2 may answer: a or b"},
	{"split", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, by: [agnt, agent, agent, 7]}", `
12:37: "agent" stands in the list twice
12:38: unknown word "agnt" in by: expected agent, user, session or tool; did you mean "agent"?
12:58: expected agent, user, session, tool or {argument: NAME}, found 7; quote it`},
	{"split as word", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, by: agent}", `12:37: expected a list such as [agent, user], found "agent"`},
	{"split by nothing", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, by: []}", `12:37: an empty list; remove "by" or add an entry`},
	{"split by an argument that is not declared", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, by: [{argument: to}, {argment: x}]}", `
12:37: "argument" stands in the list twice
12:49: unknown argument to of send_money: its inputSchema declares amount, note, recipient, urgent
12:55: unknown word "argment" in an entry of by: expected argument; did you mean "argument"?`},
	{"split by many values", "bank.send_money:\n", "bank.send_batch:\n        allow: [{}]\n        limits: [{calls: 1, per: 1d, by: [{argument: \"transfers[].recipient\"}]}, {calls: 1, per: 1d, by: [{argument: transfers}]}]\n      bank.send_money:\n", `
10:54: a count is split by one text, number or truth value, but transfers[].recipient of send_batch is more
10:118: a count is split by one text, number or truth value, but transfers of send_batch is more`},
	{"over", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, over: block}", `12:39: unknown word "block" in over: expected approve`},
	{"over as truth value", "{calls: 5, per: 1h}", "{calls: 5, per: 1h, over: true}", `12:39: expected the word "approve", found true; quote it`},
	{"agent as text", "agents:\n", "agents:\n  b: all\n",
		`6:6: expected an agent as a mapping, found "all"`},
	{"source in a catalog that cannot be read", "", "version: 1\nname: x\ncatalogs:\n  bank: {pin: BANK, tools: catalogs/bonk.json}\n  files: {pin: FILES, tools: catalogs/files.json}\nagents:\n  a:\n    tools:\n      files.read_file:\n        allow: [{path: {from: {result: bank.get_contacts}}}]\n",
		"4:95: catalogs/bonk.json: no such file"},
	{"source of no tool that is near", "{max: 10}", "{from: [request, {result: bank.x}]}",
		`10:39: unknown tool "x": catalogs/bank.json has get_balance, get_contacts, send_batch, send_money`},
}

// lastFirst returns n agents, each of which extends the next, and the last agent a.
func lastFirst(n int) string {
	text := ""
	for i := n; i > 0; i-- {
		next := fmt.Sprintf("a%d", i-1)
		if i == 1 {
			next = "a"
		}
		text += fmt.Sprintf("  a%d: {extends: %s}\n", i, next)
	}
	return text
}

// ordered returns n agents, each of which extends the one before it.
func ordered(n int) string {
	text := ""
	for i := 1; i <= n; i++ {
		text += fmt.Sprintf("  a%d: {extends: a%d}\n", i, i-1)
	}
	return text
}

func TestProblems(t *testing.T) {
	load(t, small)
	for _, tt := range problems {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.new
			if tt.old != "" {
				text = edit(t, small, tt.old, tt.new)
			}
			text = pinned(t, strings.NewReplacer("DEEP", strings.Repeat("[", 70)+strings.Repeat("]", 70),
				"LONG", strings.Repeat("1", 401)).Replace(text))
			c, err := contract.Load("licet.yaml", []byte(text), open)
			if got, want := report(c, err), pinned(t, strings.TrimPrefix(tt.want, "\n")); got != want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", text, got, want)
			}
		})
	}
}

// report returns the text of the problems without the name of the file, which
// every line must begin with.
func report(c *contract.Contract, err error) string {
	all := contract.Problems(nil)
	if c != nil || !errors.As(err, &all) || len(all) == 0 {
		return "no problems"
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "licet.yaml:")
		if !ok {
			return "a line without the name of the file: " + line
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n")
}
