package testkit

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// ShopCatalog is the approved copy of a small server, named shop in ShopContract.
const ShopCatalog = `{"tools": [
  {"name": "pay", "inputSchema": {"type": "object", "properties": {
    "amount": {"type": "number"}, "to": {"type": "string"}, "note": {"type": "string"},
    "ids": {"type": "array", "items": {"type": "integer"}}}, "required": ["amount"]}},
  {"name": "accounts", "inputSchema": {"type": "object", "properties": {}}},
  {"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}},
  {"name": "wipe", "inputSchema": {"type": "object", "properties": {}}}
]}`

// ShopContract uses each part of a contract once; PIN stands for the catalog's
// digest.
const ShopContract = `
version: 1
name: shop
catalogs:
  shop: {pin: PIN, tools: shop.json}
agents:
  buyer:
    tools:
      shop.accounts: allow
      shop.wipe: block
      shop.read:
        allow:
          - path: {path: {read: ["${workspace}/**", "!${workspace}/private/**"]}}
      shop.pay:
        allow:
          - amount: {min: 0.01, max: 100}
            to: {from: [request, {result: shop.accounts, at: "accounts[].iban"}]}
        approve:
          - amount: {min: 0.01, max: 1000}
        never:
          - to: {in: [EVIL]}
          - ids[]: {in: [7]}
        limits:
          - {calls: 5, per: 1h}
          - {sum: amount, max: 2000, per: 1d}
  other:
    tools:
      shop.pay: approve
approvals: {expire: 15m, approvers: [ann, bob]}
evidence: {redact: {shop.pay: [note]}}
`

var pinWord = regexp.MustCompile(`\bPIN\b`)

// Contract loads a contract over a catalog that every name in it stands for;
// PIN in the text is the catalog's digest.
func Contract(t testing.TB, text, approved string) *contract.Contract {
	t.Helper()
	c, err := catalog.Parse([]byte(approved))
	if err != nil {
		t.Fatal(err)
	}
	text = pinWord.ReplaceAllLiteralString(text, fmt.Sprintf("%q", c.Digest()))
	loaded, err := contract.Load("licet.yaml", []byte(text), func(string) ([]byte, error) { return []byte(approved), nil })
	if err != nil {
		t.Fatalf("loading the contract: %v", err)
	}
	return loaded
}

// Value reads a JSON value.
func Value(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// Call is a tool call of the shop.
func Call(t testing.TB, agent, tool, arguments string) toolcall.Call {
	t.Helper()
	return toolcall.Call{
		Agent: agent, Server: "shop", Method: contract.ToolsCall, Tool: tool,
		Arguments: Value(t, arguments), Params: toolcall.ObjectOf(),
	}
}
