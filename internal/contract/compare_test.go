package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/testkit"
)

// compared is the contract that the changes below are made to.
const compared = `
version: 1
name: compared
catalogs:
  shop: {pin: PIN, tools: shop.json}
labels:
  private: [shop.accounts]
agents:
  buyer:
    authenticate: {token: buyer}
    tools:
      shop.accounts: allow
      shop.re*: approve
      shop.pay:
        never: [{to: {in: [EVIL]}}]
        allow: [{amount: {min: 0, max: 100}, $session: {not_called: [private]}}]
        approve:
          - {amount: {min: 0, max: 1000}, $approvers: [ann, bob], $quorum: 2}
          - {note: {length: 3}, $when: "call.arguments.amount > 1"}
        limits: [{calls: 5, per: 1h}, {sum: amount, max: 2000, per: 1d}]
    limits: [{calls: 200, per: session}]
  junior:
    extends: buyer
    tools:
      shop.pay: {allow: [{amount: {max: 10}}]}
approvals: {expire: 15m, approvers: [ann, bob], quorum: 1}
evidence: {redact: {shop.pay: [note]}}
`

func TestCompare(t *testing.T) {
	const (
		tell, wider, narrower, equal = contract.CannotTell, contract.Wider, contract.Narrower, contract.Equal
		pay                          = `agents.buyer.tools["shop.pay"]`
	)
	tests := []struct {
		name, from, to string // what is replaced in compared by what
		total          contract.Direction
		path           string // of a change that must be named so
		change         contract.Direction
	}{
		{"nothing", "", "", equal, "", 0},
		{"a judge that nothing is handed to", "approvals:", "judge: {on_block: approve}\napprovals:", equal, "", 0},
		{"a judge clause beside approve", "        approve:", "        judge: [{amount: {max: 500}}]\n        approve:", tell, pay + ".judge[0]", tell},
		{"a judge clause and what follows", "      shop.re*: approve\n", "      shop.re*: judge\n", tell, `agents.buyer.tools["shop.re*"]`, tell},
		{"another name", "name: compared", "name: other", equal, "", 0},
		{"an agent less", "  junior:\n    extends: buyer\n    tools:\n      shop.pay: {allow: [{amount: {max: 10}}]}\n", "", narrower, "agents.junior", narrower},
		{"an agent more", "approvals:", "  more:\n    tools: {shop.wipe: allow}\napprovals:", wider, "agents.more", wider},
		{"another credential", "{token: buyer}", "{token: other}", tell, "agents.buyer.authenticate", tell},
		{"no credential", "    authenticate: {token: buyer}\n", "", wider, "agents.buyer.authenticate", wider},
		{"a credential more", "    extends: buyer\n", "    extends: buyer\n    authenticate: {token: junior}\n", narrower, "agents.junior.authenticate", narrower},
		{"shadow mode", "    authenticate: {token: buyer}\n", "    authenticate: {token: buyer}\n    mode: shadow\n", wider, "agents.buyer.mode", wider},
		{"a tool less", "      shop.accounts: allow\n", "", narrower, `agents.buyer.tools["shop.accounts"]`, narrower},
		{"a tool blocked", "shop.accounts: allow", "shop.accounts: block", narrower, `agents.buyer.tools["shop.accounts"]`, narrower},
		{"a tool more", "      shop.accounts: allow\n", "      shop.accounts: allow\n      shop.wipe: approve\n", wider, `agents.buyer.tools["shop.wipe"]`, wider},
		{"a blocked tool more", "      shop.accounts: allow\n", "      shop.accounts: allow\n      shop.wipe: block\n", equal, "", 0},
		{"the group written out", "shop.re*: approve", "shop.read: approve", equal, "", 0},
		{"the group allowed", "shop.re*: approve", "shop.re*: allow", wider, `agents.buyer.tools["shop.re*"]`, wider},
		{"a higher bound", "max: 100}", "max: 101}", wider, pay + ".allow[0]", wider},
		{"a lower bound", "max: 100}", "max: 99.99}", narrower, pay + ".allow[0]", narrower},
		{"a bound up, one down", "{min: 0, max: 100}", "{min: 1, max: 101}", tell, pay + ".allow[0]", tell},
		{"a condition less", ", $session: {not_called: [private]}", "", wider, pay + ".allow[0]", wider},
		{"the label said as tool", "[private]}}]", "[shop.accounts]}}]", equal, "", 0},
		{"allow becomes approve", "shop.accounts: allow", "shop.accounts: approve", narrower, `agents.buyer.tools["shop.accounts"].allow[0]`, narrower},
		{"never less", "        never: [{to: {in: [EVIL]}}]\n", "", wider, pay + ".never[0]", wider},
		{"never more", "in: [EVIL]", "in: [EVIL, WORSE]", narrower, pay + ".never[0]", narrower},
		{"never another", "in: [EVIL]", "in: [WORSE]", tell, pay + ".never[0]", tell},
		{"fewer must agree", "$quorum: 2", "$quorum: 1", wider, pay + ".approve[0]", wider},
		{"another may answer", "$approvers: [ann, bob]", "$approvers: [ann, bob, eve]", wider, pay + ".approve[0]", wider},
		{"one may not answer", "$approvers: [ann, bob], $quorum: 2", "$approvers: [ann], $quorum: 1", tell, pay + ".approve[0]", tell},
		{"an expression less", "          - {note: {length: 3}, $when: \"call.arguments.amount > 1\"}\n", "", tell, pay + ".approve[1]", tell},
		{"another expression", "amount > 1\"", "amount > 2\"", tell, pay + ".approve[1]", tell},
		{"a larger limit", "calls: 5,", "calls: 6,", wider, pay + ".limits[0]", wider},
		{"a smaller sum", "max: 2000", "max: 1999.5", narrower, pay + ".limits[1]", narrower},
		{"a longer window", "calls: 5, per: 1h", "calls: 5, per: 1d", narrower, pay + ".limits[0]", narrower},
		{"a split limit", "calls: 5, per: 1h", "calls: 5, per: 1h, by: [agent, session]", tell, pay + ".limits[0]", tell},
		{"a limit that asks", "calls: 5, per: 1h", "calls: 5, per: 1h, over: approve", wider, pay + ".limits[0]", wider},
		{"a limit less, of the agent", "    limits: [{calls: 200, per: session}]\n", "", wider, "agents.buyer.limits[0]", wider},
		{"other arguments", "        never:", "        extra_arguments: allow\n        never:", wider, pay + ".extra_arguments", wider},
		{"extends no more", "    extends: buyer\n", "", tell, `agents.junior.tools["shop.pay"]`, wider}, // and its other tools are gone,
		{"a longer wait", "expire: 15m", "expire: 1h", wider, "approvals.expire", wider},
		{"more must agree", "quorum: 1}", "quorum: 2}", narrower, "approvals.quorum", narrower},
		{"everyone may answer", "expire: 15m, approvers: [ann, bob]", "expire: 15m", wider, "approvals.approvers", wider},
		{"less redaction", "evidence: {redact: {shop.pay: [note]}}", "", equal, `evidence.redact["shop.pay"]`, equal},
		{"paths as text", "tools: shop.json}", "tools: shop.json, resolve: none}", equal, "catalogs.shop.resolve", tell},
	}
	old := testkit.Contract(t, compared, testkit.ShopCatalog)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := compared
			if tt.from != "" {
				if strings.Count(compared, tt.from) != 1 {
					t.Fatalf("%q stands %d times in the contract", tt.from, strings.Count(compared, tt.from))
				}
				text = strings.Replace(compared, tt.from, tt.to, 1)
			}
			c := contract.Compare(old, testkit.Contract(t, text, testkit.ShopCatalog))
			if c.Direction != tt.total {
				t.Errorf("the contract is %s, want %s: %+v", c.Direction, tt.total, c.Changes)
			}
			i := slices.IndexFunc(c.Changes, func(change contract.Change) bool { return change.Path == tt.path })
			switch {
			case tt.path == "" && len(c.Changes) > 0:
				t.Errorf("changes %+v, want none", c.Changes)
			case tt.path != "" && i < 0:
				t.Errorf("no change at %s: %+v", tt.path, c.Changes)
			case tt.path != "" && c.Changes[i].Direction != tt.change:
				t.Errorf("%+v, want %s", c.Changes[i], tt.change)
			}
		})
	}
}

func TestCompareCatalogs(t *testing.T) {
	old := testkit.Contract(t, compared, testkit.ShopCatalog)
	tests := []struct {
		name, from, to string
		total          contract.Direction
		why            string
	}{
		{"a definition", `"note": {"type": "string"}`, `"note": {"type": "string", "maxLength": 9}`, contract.CannotTell, "the definition of pay"},
		{"a tool more", `{"tools": [`, `{"tools": [{"name": "sell", "inputSchema": {"type": "object"}},`, contract.Equal, "only added or taken away"},
	}
	for _, tt := range tests {
		c := contract.Compare(old, testkit.Contract(t, compared, strings.Replace(testkit.ShopCatalog, tt.from, tt.to, 1)))
		if c.Direction != tt.total || len(c.Changes) == 0 || !strings.Contains(c.Changes[0].Why, tt.why) {
			t.Errorf("%s: %s %+v", tt.name, c.Direction, c.Changes)
		}
	}
	closed := testkit.Contract(t, "version: 1\nname: closed\nagents: {}\napprovals: {expire: 15m, approvers: [ann, bob]}\n", testkit.ShopCatalog)
	if c := contract.Compare(old, closed); c.Direction != contract.Narrower {
		t.Errorf("a contract without agents is %s: %+v", c.Direction, c.Changes)
	}
	if c := contract.Compare(closed, old); c.Direction != contract.Wider {
		t.Errorf("compared with one without agents it is %s: %+v", c.Direction, c.Changes)
	}
}
