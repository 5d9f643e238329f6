package contract_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/contract"
)

var newPin = "sha256:" + strings.Repeat("0123456789abcdef", 4)

// TestSetPin checks that only the pin changes; PIN stands for it in want.
func TestSetPin(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "catalogs:\n  bank:\n    pin: sha256:00  # old\n    tools: x\n", "catalogs:\n  bank:\n    pin: PIN  # old\n    tools: x\n"},
		{"double quotes", `catalogs: {bank: {pin: "a\"b", tools: x}}`, `catalogs: {bank: {pin: PIN, tools: x}}`},
		{"single quotes", `catalogs: {bank: {pin: 'a''b', tools: x}}`, `catalogs: {bank: {pin: PIN, tools: x}}`},
		{"empty text", "catalogs: {bank: {pin: '', tools: x}}", "catalogs: {bank: {pin: PIN, tools: x}}"},
		{"null", "catalogs: {bank: {pin: null}}", "catalogs: {bank: {pin: PIN}}"},
		{"left empty", "catalogs:\n  bank:\n    pin: # none yet\n    tools: x\n", "catalogs:\n  bank:\n    pin: PIN # none yet\n    tools: x\n"},
		{"left empty at the end", "catalogs:\n  bank:\n    pin:", "catalogs:\n  bank:\n    pin: PIN"},
		{"left empty in braces", "catalogs: {bank: {pin: , tools: x}}", "catalogs: {bank: {pin: PIN, tools: x}}"},
		{"absent", "catalogs:\n  bank:\n    # the tools\n    tools: x # of today\nname: a\n", "catalogs:\n  bank:\n    # the tools\n    pin: PIN\n    tools: x # of today\nname: a\n"},
		{"absent, Windows line breaks", "catalogs:\r\n  bank:\r\n    tools: x\r\n", "catalogs:\r\n  bank:\r\n    pin: PIN\r\n    tools: x\r\n"},
		{"absent in braces", "catalogs: {bank: { tools: x }}", "catalogs: {bank: { pin: PIN, tools: x }}"},
		{"empty catalog", "catalogs: {bank: {}}", "catalogs: {bank: {pin: PIN}}"},
		{"behind wide characters", "{name: \"été\", catalogs: {\"bank\": {pin: old}}}", "{name: \"été\", catalogs: {\"bank\": {pin: PIN}}}"},
		{"of one server only", "catalogs:\n  mail: {pin: old}\n  bank: {pin: old}\n", "catalogs:\n  mail: {pin: old}\n  bank: {pin: PIN}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := contract.SetPin([]byte(tt.text), "bank", newPin)
			want := strings.Replace(tt.want, "PIN", newPin, 1)
			if err != nil || string(got) != want {
				t.Fatalf("%v\ngot:  %q\nwant: %q", err, got, want)
			}
			if again, err := contract.SetPin(got, "bank", newPin); err != nil || string(again) != want {
				t.Errorf("a second time: %q, %v", again, err)
			}
		})
	}
}

func TestSetPinRefuses(t *testing.T) {
	tests := []struct{ name, text, pin, want string }{
		{"no digest", "catalogs: {bank: {}}", "sha256:1", `setting the pin of bank: "sha256:1" is no digest`},
		{"no catalogs", "name: x", newPin, "setting the pin of bank: the contract has no such catalog"},
		{"no such server", "catalogs: {mail: {}}", newPin, "setting the pin of bank: the contract has no such catalog"},
		{"no mapping", "catalogs: {bank: builtin/1}", newPin, "setting the pin of bank: the contract has no such catalog"},
		{"no YAML", "catalogs: {", newPin, "contract:"},
		{"a list", "catalogs: {bank: {pin: [a]}}", newPin, "setting the pin of bank: write it on a line of its own"},
		{"a block", "catalogs:\n  bank:\n    pin: |\n      old\n", newPin, "setting the pin of bank: write it on a line of its own"},
		{"folded lines", "catalogs:\n  bank:\n    pin: old\n      er\n", newPin, "setting the pin of bank: write it on a line of its own"},
		{"a key alone", "catalogs: {bank: {pin}}", newPin, "setting the pin of bank: write it on a line of its own"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := contract.SetPin([]byte(tt.text), "bank", tt.pin)
			if err == nil || got != nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want %s", got, err, tt.want)
			}
		})
	}
}
