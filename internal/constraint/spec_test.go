package constraint

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// specErrors holds specs that New refuses, with the whole message.
var specErrors = []struct{ spec, want string }{
	{`1`, "expected constraints such as {max: 100}, got number"},
	{`{}`, "no constraint stands beside the argument"},
	{`{"numbers": "en"}`, "at /numbers: \"numbers\" says how `from` reads numbers, and there is no `from`"},
	{`{"maxx": 1}`, `at /maxx: unknown constraint "maxx": expected const, email, from, identifiers, in, items, length, max, min, multiple_of, not_in, path, pattern, shell, sql, url, optional; did you mean "max"?`},
	{`{"a/b~c": 1}`, `at /a~1b~0c: unknown constraint "a/b~c": expected const, email, from, identifiers, in, items, length, max, min, multiple_of, not_in, path, pattern, shell, sql, url, optional`},
	{`{"shell": {}}`, "at /shell: expected {run: [...]}, with opaque, read, write or net, got an empty object"},
	{`{"shell": ["ls"]}`, "at /shell: expected {run: [...]}, with opaque, read, write or net, got array"},
	{`{"shell": {"run": []}}`, "at /shell/run: expected a list of at least one command, got an empty array"},
	{`{"shell": {"run": "ls"}}`, "at /shell/run: expected a list of at least one command, got string"},
	{`{"shell": {"run": ["ls", 1]}}`, "at /shell/run/1: expected a command, got number"},
	{`{"shell": {"run": ["!ls"]}}`, "at /shell/run: expected at least one command without !: nothing would be covered"},
	{`{"shell": {"run": [" "]}}`, `at /shell/run/0: expected a program and perhaps words behind it, such as git status, got " "`},
	{`{"shell": {"run": ["-x ls"]}}`, `at /shell/run/0: expected a program and perhaps words behind it, such as git status, got "-x ls"`},
	{`{"shell": {"run": ["rm *"]}}`, `at /shell/run/0: '*' in "rm *" has no meaning here: an entry is words as the program gets them`},
	{`{"shell": {"run": ["git commit -m 'x'"]}}`, `at /shell/run/0: '\'' in "git commit -m 'x'" has no meaning here: an entry is words as the program gets them`},
	{`{"shell": {"run": ["./run.sh"]}}`, `at /shell/run/0: expected a program by its name, or by a whole path that begins with / or ${workspace}, got "./run.sh"`},
	{`{"shell": {"opaque": ["a; b"]}}`, `at /shell/opaque/0: ';' in "a; b" has no meaning here: an entry is words as the program gets them`},
	{`{"shell": {"read": ["src/**"]}}`, `at /shell/read/0: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got "src/**"`},
	{`{"shell": {"write": ["!/x"]}}`, "at /shell/write: expected at least one pattern without !: nothing would be covered"},
	{`{"shell": {"net": ["http://x.org"]}}`, `at /shell/net/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "http://x.org"`},
	{`{"shell": {"exec": ["ls"]}}`, `at /shell/exec: unknown member "exec": expected net, opaque, read, run, write`},
	{`{"optional": true}`, "no constraint stands beside the argument"},
	{`{"optional": false, "max": 1}`, "at /optional: expected true, got false"},
	{`{"optional": "yes", "max": 1}`, `at /optional: expected true, got "yes"`},

	{`{"sql": {}}`, "at /sql: expected {dialect: postgresql, read_only: true}, with statements or tables, got an empty object"},
	{`{"sql": {"read_only": true}}`, "at /sql/dialect: expected the dialect, postgresql or sqlite"},
	{`{"sql": {"dialect": "postgres", "read_only": true}}`, `at /sql/dialect: unknown dialect "postgres": expected postgresql, sqlite; did you mean "postgresql"?`},
	{`{"sql": {"dialect": "sqlite"}}`, "at /sql: expected read_only, statements or tables beside the dialect"},
	{`{"sql": {"dialect": "sqlite", "read_only": false}}`, "at /sql/read_only: expected true, got false"},
	{`{"sql": {"dialect": "sqlite", "read_only": true, "statements": ["select"]}}`, "at /sql/read_only: read_only and statements exclude one another"},
	{`{"sql": {"dialect": "sqlite", "statements": []}}`, "at /sql/statements: expected a list of at least one entry, got an empty array"},
	{`{"sql": {"dialect": "sqlite", "statements": ["delet"]}}`, `at /sql/statements/0: unknown class of statements "delet": expected alter, call, copy, create, delete, drop, grant, insert, lock, maintain, merge, other, select, session, transaction, truncate, update; did you mean "delete"?`},
	{`{"sql": {"dialect": "sqlite", "tables": ["a", "b.c.d"]}}`, `at /sql/tables/1: expected a table such as orders, public.orders, public.* or *.*, got "b.c.d"`},
	{`{"sql": {"dialect": "sqlite", "tables": ["a"], "table": []}}`, `at /sql/table: unknown member "table": expected dialect, read_only, statements, tables; did you mean "tables"?`},

	{`{"const": null}`, "at /const: null counts as an absent argument, which no constraint matches"},
	{`{"in": [1, null]}`, "at /in/1: null counts as an absent argument, which no constraint matches"},
	{`{"in": []}`, "at /in: expected a list of at least one value, got an empty array"},
	{`{"in": "a"}`, "at /in: expected a list of at least one value, got string"},
	{`{"not_in": {}}`, "at /not_in: expected a list of at least one value, got an empty object"},

	{`{"min": "1"}`, "at /min: expected a number, got string"},
	{`{"max": null}`, "at /max: expected a number, got null"},
	{`{"min": 100, "max": 1}`, "at /min: min 100 is more than max 1: nothing can hold"},
	{`{"multiple_of": 0}`, "at /multiple_of: expected a number above 0, got 0"},
	{`{"multiple_of": -5}`, "at /multiple_of: expected a number above 0, got -5"},
	{`{"multiple_of": true}`, "at /multiple_of: expected a number, got boolean"},

	{`{"length": -1}`, "at /length: expected a whole number of at least 0, got -1"},
	{`{"length": 1.5}`, "at /length: expected a whole number of at least 0, got 1.5"},
	{`{"length": "3"}`, "at /length: expected a whole number or {min: N, max: N}, got string"},
	{`{"length": {}}`, "at /length: expected a whole number or {min: N, max: N}, got an empty object"},
	{`{"length": {"mim": 1}}`, `at /length/mim: unknown bound "mim": expected min, max; did you mean "min"?`},
	{`{"items": {"max": 1e30}}`, "at /items/max: expected a whole number of at least 0, got 1e+30"},
	{`{"items": {"min": 3, "max": 2}}`, "at /items/min: min 3 is more than max 2: nothing can hold"},

	{`{"pattern": 1}`, "at /pattern: expected an RE2 expression, got number"},
	{`{"pattern": ""}`, "at /pattern: expected an RE2 expression, got string"},
	{`{"pattern": "("}`, "at /pattern: the expression cannot be compiled: error parsing regexp: missing closing ): `(`"},
	{`{"pattern": ")("}`, "at /pattern: the expression cannot be compiled: error parsing regexp: unexpected ): `)(`"},
	{`{"pattern": "a)|(?:b"}`, "at /pattern: the expression cannot be compiled: error parsing regexp: unexpected ): `a)|(?:b`"},
	{`{"pattern": "a(?=b)"}`, "at /pattern: the expression cannot be compiled: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
	{`{"pattern": "(?-s)."}`, "at /pattern: flags m and s in (?-s) are fixed: the whole text is matched, and . matches line breaks too"},
	{`{"pattern": "a(?im:^b$)"}`, "at /pattern: flags m and s in (?im: are fixed: the whole text is matched, and . matches line breaks too"},
	{`{"pattern": "\\\\(?m)a"}`, "at /pattern: flags m and s in (?m) are fixed: the whole text is matched, and . matches line breaks too"},
	{`{"pattern": "\\Qa"}`, "at /pattern: the expression cannot be compiled as a group (is a \\Q without \\E?): error parsing regexp: missing closing ): `(?s)\\A(?:\\Qa)\\z`"},

	{`{"from": []}`, "at /from: expected at least one source"},
	{`{"from": 1}`, "at /from: expected request, {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}, got number"},
	{`{"from": "requst"}`, `at /from: unknown source "requst": expected request; did you mean "request"?`},
	{`{"from": ["request", "user"]}`, `at /from/1: unknown source "user": expected request`},
	{`{"from": [{"claim": ""}]}`, `at /from/0/claim: expected the name of a claim, got ""`},
	{`{"from": {"claim": 7}}`, "at /from/claim: expected the name of a claim, got 7"},
	{`{"from": {"claim": "email", "at": "a"}}`, "at /from: expected {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}"},
	{`{"from": {"claim": "email", "result": "bank.x"}}`, "at /from: result and claim are two sources: write two list entries"},
	{`{"from": {"rezult": "bank.x"}}`, `at /from/rezult: unknown member "rezult": expected result, at, literal, claim; did you mean "result"?`},
	{`{"from": {}}`, "at /from: expected {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}"},
	{`{"from": {"at": "a"}}`, "at /from: expected {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}"},
	{`{"from": {"literal": ["a"], "at": "a"}}`, "at /from: expected {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}"},
	{`{"from": {"literal": ["a"], "result": "bank.x"}}`, "at /from: result and literal are two sources: write two list entries"},
	{`{"from": {"result": "bank"}}`, "at /from/result: expected a tool as server.tool"},
	{`{"from": {"result": ".x"}}`, "at /from/result: expected a tool as server.tool"},
	{`{"from": {"result": 7}}`, "at /from/result: expected a tool as server.tool"},
	{`{"from": {"result": "bnk.get.x"}}`, "at /from/result: unknown server bnk"},
	{`{"from": {"result": "bank.x", "at": 1}}`, "at /from/at: expected a path such as items[].id, got number"},
	{`{"from": {"result": "bank.x", "at": ""}}`, "at /from/at: path is empty"},
	{`{"from": {"literal": []}}`, "at /from/literal: expected a list of texts and numbers, got an empty array"},
	{`{"from": {"literal": "a"}}`, "at /from/literal: expected a list of texts and numbers, got string"},
	{`{"from": {"literal": ["a", ""]}}`, "at /from/literal/1: expected a text that is not empty or a number: nothing else counts as stated"},
	{`{"from": ["request", {"literal": [true]}]}`, "at /from/1/literal/0: expected a text that is not empty or a number: nothing else counts as stated"},
	{`{"from": "request", "numbers": "de"}`, `at /numbers: "de" is not in this version of licet: numbers are read as in English (en)`},
	{`{"from": "request", "numbers": 1}`, "at /numbers: expected en, got number"},

	{`{"url": {}}`, "at /url: expected {hosts: [...]}, with schemes, ports or paths, got an empty object"},
	{`{"url": {"host": ["a.example"]}}`, `at /url/host: unknown member "host": expected hosts, paths, ports, schemes; did you mean "hosts"?`},
	{`{"url": {"hosts": []}}`, "at /url/hosts: expected a list of at least one host, got an empty array"},
	{`{"url": {"hosts": "a.example"}}`, "at /url/hosts: expected a list of at least one host, got string"},
	{`{"url": {"hosts": ["https://a.example"]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "https://a.example"`},
	{`{"url": {"hosts": ["a.example."]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "a.example."`},
	{`{"url": {"hosts": ["*"]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "*"`},
	{`{"url": {"hosts": ["a.*.example"]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "a.*.example"`},
	{`{"url": {"hosts": ["*.10.0.0.1"]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "*.10.0.0.1"`},
	{`{"url": {"hosts": ["a.example", "0x7f.1"]}}`, `at /url/hosts/1: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "0x7f.1"`},
	{`{"url": {"hosts": ["a.example:8443"]}}`, `at /url/hosts/0: expected a host such as docs.example.org, *.example.org or 192.0.2.1, got "a.example:8443"`},
	{`{"url": {"schemes": ["file"]}}`, `at /url/schemes/0: expected https, http, wss, ws or ftp, got "file"`},
	{`{"url": {"schemes": "https"}}`, "at /url/schemes: expected a list of at least one entry, got string"},
	{`{"url": {"ports": [0]}}`, "at /url/ports/0: expected a port from 1 to 65535, got 0"},
	{`{"url": {"ports": ["443"]}}`, `at /url/ports/0: expected a port from 1 to 65535, got "443"`},
	{`{"url": {"paths": ["docs"]}}`, `at /url/paths/0: expected the beginning of a path such as /docs, without dots, escapes and empty parts, got "docs"`},
	{`{"url": {"paths": ["/a/../b"]}}`, `at /url/paths/0: expected the beginning of a path such as /docs, without dots, escapes and empty parts, got "/a/../b"`},
	{`{"email": {}}`, "at /email: expected {domains: [...]} or {addresses: [...]}, got an empty object"},
	{`{"email": {"domain": []}}`, `at /email/domain: unknown member "domain": expected addresses, domains; did you mean "domains"?`},
	{`{"email": {"domains": ["10.0.0.1"]}}`, `at /email/domains/0: expected a domain such as example.org or *.example.org, got "10.0.0.1"`},
	{`{"email": {"domains": ["@a.example"]}}`, `at /email/domains/0: expected a domain such as example.org or *.example.org, got "@a.example"`},
	{`{"email": {"addresses": ["a.example"]}}`, `at /email/addresses/0: expected an address such as ops@example.org, got "a.example"`},
	{`{"email": {"addresses": []}}`, "at /email/addresses: expected a list of at least one address, got an empty array"},
	{`{"identifiers": "request"}`, "at /identifiers: expected {from: [...]}, with patterns, got string"},
	{`{"identifiers": {}}`, `at /identifiers: identifiers needs "from": where they may come from`},
	{`{"identifiers": {"from": "requst"}}`, `at /identifiers/from: unknown source "requst": expected request; did you mean "request"?`},
	{`{"identifiers": {"from": "request", "pattern": []}}`, `at /identifiers/pattern: unknown member "pattern": expected from, patterns; did you mean "patterns"?`},
	{`{"identifiers": {"from": "request", "patterns": []}}`, "at /identifiers/patterns: expected a list of RE2 expressions, got an empty array"},
	{`{"identifiers": {"from": "request", "patterns": ["("]}}`, `at /identifiers/patterns/0: expected an RE2 expression, got "("`},
	{`{"identifiers": {"from": "request", "patterns": ["a*"]}}`, "at /identifiers/patterns/0: the expression matches empty text: it would find an identifier everywhere"},

	{`{"path": {}}`, "at /path: expected {read: [...]} or {write: [...]}"},
	{`{"path": "/a"}`, "at /path: expected {read: [...]} or {write: [...]}"},
	{`{"path": {"read": ["/a"], "write": ["/b"]}}`, "at /path: read and write are two constraints: one path is either read or written"},
	{`{"path": {"wrote": ["/a"]}}`, `at /path/wrote: unknown member "wrote": expected read, write, base; did you mean "write"?`},
	{`{"path": {"read": "/a"}}`, "at /path/read: expected a list of patterns, got string"},
	{`{"path": {"read": [1]}}`, "at /path/read/0: expected a pattern, got number"},
	{`{"path": {"read": []}}`, "at /path/read: expected at least one pattern without !: nothing would be covered"},
	{`{"path": {"read": ["!/a"]}}`, "at /path/read: expected at least one pattern without !: nothing would be covered"},
	{`{"path": {"read": ["src/**"]}}`, `at /path/read/0: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got "src/**"`},
	{`{"path": {"read": ["~/x"]}}`, `at /path/read/0: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got "~/x"`},
	{`{"path": {"read": [""]}}`, `at /path/read/0: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got ""`},
	{`{"path": {"read": ["/a", "!b"]}}`, `at /path/read/1: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got "!b"`},
	{`{"path": {"read": ["${workspac}/x"]}}`, `at /path/read/0: unknown place "workspac": expected workspace, home, tmp; did you mean "workspace"?`},
	{`{"path": {"read": ["${workspace}x"]}}`, `at /path/read/0: expected ${workspace}, ${home} or ${tmp}, then / or the end, in "${workspace}x"`},
	{`{"path": {"read": ["${workspace"]}}`, `at /path/read/0: expected ${workspace}, ${home} or ${tmp}, then / or the end, in "${workspace"`},
	{`{"path": {"read": ["/a/${home}"]}}`, `at /path/read/0: '$' in "/a/${home}" has no meaning in a pattern: only * and a final /** are wildcards`},
	{`{"path": {"read": ["/a/?.txt"]}}`, `at /path/read/0: '?' in "/a/?.txt" has no meaning in a pattern: only * and a final /** are wildcards`},
	{`{"path": {"read": ["/a/{b,c}"]}}`, `at /path/read/0: '{' in "/a/{b,c}" has no meaning in a pattern: only * and a final /** are wildcards`},
	{`{"path": {"read": ["/a/[b]"]}}`, `at /path/read/0: '[' in "/a/[b]" has no meaning in a pattern: only * and a final /** are wildcards`},
	{`{"path": {"read": ["/a\\b"]}}`, `at /path/read/0: '\\' in "/a\\b" has no meaning in a pattern: only * and a final /** are wildcards`},
	{`{"path": {"read": ["/a/**/b"]}}`, `at /path/read/0: ** in "/a/**/b" stands elsewhere than as the last name`},
	{`{"path": {"read": ["/a/x**"]}}`, `at /path/read/0: ** in "/a/x**" stands elsewhere than as the last name`},
	{`{"path": {"read": ["/a/../b"]}}`, `at /path/read/0: "/a/../b" is not in its shortest form: no empty names, . or .., no / at the end`},
	{`{"path": {"read": ["/a//b"]}}`, `at /path/read/0: "/a//b" is not in its shortest form: no empty names, . or .., no / at the end`},
	{`{"path": {"read": ["/a/"]}}`, `at /path/read/0: "/a/" is not in its shortest form: no empty names, . or .., no / at the end`},
	{`{"path": {"read": ["${home}/../x"]}}`, `at /path/read/0: "${home}/../x" is not in its shortest form: no empty names, . or .., no / at the end`},
	{`{"path": {"read": ["/a"], "base": 1}}`, "at /path/base: expected a directory, got number"},
	{`{"path": {"read": ["/a"], "base": "src"}}`, `at /path/base: expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got "src"`},
	{`{"path": {"read": ["/a"], "base": "/a/*"}}`, "at /path/base: expected one directory, without ! and *"},
}

func TestSpecErrors(t *testing.T) {
	for _, tt := range specErrors {
		s, err := New(value(t, tt.spec), local)
		var se *SpecError
		if s != nil || !errors.As(err, &se) || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.spec, err, tt.want)
		}
	}
}

// TestStrictEnv shows what the zero Env refuses.
func TestStrictEnv(t *testing.T) {
	for spec, want := range map[string]string{
		`{"from": {"result": "bank.x"}}`:                "at /from/result: no catalog is known that has bank.x",
		`{"path": {"read": ["/a"], "base": "/a"}}`:      "at /path/base: base has no use where paths are not resolved: only absolute ones hold there",
		`{"path": {"read": ["/a"], "base": "${home}"}}`: "at /path/base: base has no use where paths are not resolved: only absolute ones hold there",
	} {
		if _, err := New(value(t, spec), Env{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}

func TestNeverUsable(t *testing.T) {
	for spec, want := range map[string]string{
		`{"max": 1, "optional": true}`:         "at /optional: optional cannot stand in a never clause: an absent argument is nothing to forbid",
		`{"identifiers": {"from": "request"}}`: "at /identifiers: identifiers cannot stand in a never clause: that a value is not known to be stated does not make it safe",
		`{"from": "request"}`:                  "at /from: from cannot stand in a never clause: that a value is not known to be stated does not make it safe",
		`{"items": {"max": 3}}`:                "at /items: items in a never clause takes min only: one more element in the argument would turn an upper bound off",
		`{"items": 3, "min": 2}`:               "at /items: items in a never clause takes min only: one more element in the argument would turn an upper bound off",
		`{"const": [1, 2]}`:                    "at /const: const in a never clause lists texts, numbers, true and false only: one more element in the argument would turn [1,2] off; name the parts by path, such as ids[]",
		`{"not_in": ["a", {"a": [1]}]}`:        `at /not_in: not_in in a never clause lists texts, numbers, true and false only: one more element in the argument would turn {"a":[1]} off; name the parts by path, such as ids[]`,
		`{"in": ["a"], "length": 1}`:           "",
		`{"path": {"read": ["/a/**"]}}`:        "",
		`{"items": {"min": 3}}`:                "",
		`{"pattern": "a", "max": 1}`:           "",
		`{"multiple_of": 5, "const": 5}`:       "",
	} {
		got := ""
		if err := compile(t, spec, local).NeverUsable(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// TestCanonical holds specs of one meaning in a group, and different meanings
// in different groups.
func TestCanonical(t *testing.T) {
	groups := [][]string{
		{`{"min": 1, "max": 100}`, `{"max": 1e2, "min": 1.0}`},
		{`{"min": 1}`, `{"min": 1.00}`},
		{`{"max": 1}`},
		{`{"const": 1}`, `{"const": 1.0}`},
		{`{"in": [1]}`, `{"in": [1, 1.0]}`},
		{`{"in": [1, "a"]}`, `{"in": ["a", 1]}`},
		{`{"in": [1, "A"]}`},
		{`{"not_in": [1, "a"]}`},
		{`{"length": 3}`, `{"length": {"max": 3, "min": 3}}`, `{"length": 3.0}`},
		{`{"length": {"max": 3}}`, `{"length": {"min": 0, "max": 3}}`},
		{`{"length": {"min": 3}}`},
		{`{"items": {"min": 3}}`},
		{`{"items": 9007199254740993}`},
		{`{"items": 9007199254740992}`},
		{`{"pattern": "a"}`}, {`{"pattern": "a*"}`},
		{`{"from": "request"}`, `{"from": ["request"]}`, `{"from": ["request", "request"], "numbers": "en"}`},
		{`{"from": ["request", {"literal": ["a", 2]}]}`, `{"from": [{"literal": [2.0, "a"]}, "request"]}`},
		{`{"from": {"result": "bank.a.b"}}`},
		{`{"from": {"result": "bank.a.b", "at": "x"}}`, `{"from": {"result": "bank.a.b", "at": "[\"x\"]"}}`},
		{`{"path": {"read": ["/a", "!/b"]}}`, `{"path": {"read": ["!/b", "/a", "/a"]}}`},
		{`{"path": {"write": ["/a", "!/b"]}}`},
		{`{"path": {"read": ["/a", "!/b"], "base": "/b"}}`},
		{`{"path": {"read": ["/a", "/b"]}}`},
		{`{"max": 1, "optional": true}`},
		{`{"from": {"claim": "email"}}`, `{"from": [{"claim": "email"}]}`}, {`{"from": {"claim": "sub"}}`},
		{`{"url": {"hosts": ["a.example", "*.b.example"]}}`, `{"url": {"hosts": ["*.B.example", "A.EXAMPLE"]}}`},
		{`{"url": {"hosts": ["a.example"]}}`}, {`{"url": {"hosts": ["a.example"], "schemes": ["https"]}}`},
		{`{"url": {"hosts": ["[2001:DB8::1]"]}}`, `{"url": {"hosts": ["2001:db8:0::1"]}}`},
		{`{"url": {"ports": [443, 8443]}}`, `{"url": {"ports": [8443, 443.0]}}`}, {`{"url": {"paths": ["/a", "/b"]}}`, `{"url": {"paths": ["/b", "/a"]}}`},
		{`{"email": {"domains": ["a.example", "b.example"]}}`, `{"email": {"domains": ["B.example", "a.example"]}}`},
		{`{"email": {"addresses": ["A@b.example"]}}`, `{"email": {"addresses": ["A@B.example"]}}`}, {`{"email": {"addresses": ["a@b.example"]}}`},
		{`{"identifiers": {"from": "request"}}`, `{"identifiers": {"from": ["request"]}}`},
		{`{"identifiers": {"from": "request", "patterns": ["a", "b"]}}`, `{"identifiers": {"from": "request", "patterns": ["b", "a", "a"]}}`},
	}
	seen := map[string]string{}
	for _, group := range groups {
		first := compile(t, group[0], local).Canonical().Canonical()
		if other, dup := seen[first]; dup {
			t.Errorf("%s and %s have one meaning", group[0], other)
		}
		seen[first] = group[0]
		for _, spec := range group[1:] {
			if got := compile(t, spec, local).Canonical().Canonical(); got != first {
				t.Errorf("%s is %s, but %s is %s", group[0], first, spec, got)
			}
		}
	}
}

func TestWords(t *testing.T) {
	want := strings.Fields("const email from identifiers in items length max min multiple_of not_in path pattern shell sql url")
	if got := Kinds(); !slices.Equal(got, want) {
		t.Errorf("kinds: %v", got)
	}
}

// FuzzNew states that a spec is refused with a *SpecError or compiles to a set
// whose canonical form compiles to the same one.
func FuzzNew(f *testing.F) {
	for _, tt := range kindsTable {
		f.Add(tt.spec)
	}
	for _, tt := range specErrors {
		f.Add(tt.spec)
	}
	for _, tt := range pathTable {
		f.Add(tt.spec)
	}
	for _, tt := range shellTable {
		f.Add(tt.spec)
	}
	for _, tt := range slices.Concat(urlTable, emailTable, identifiersTable) {
		f.Add(tt.spec)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
		if err != nil {
			return
		}
		s, err := New(spec, local)
		if err != nil {
			if se := (*SpecError)(nil); !errors.As(err, &se) || s != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		again, err := New(s.Canonical(), local)
		if err != nil {
			t.Fatalf("%s: its canonical form %s: %v", text, s.Canonical().Canonical(), err)
		}
		if !again.Canonical().Equal(s.Canonical()) {
			t.Fatalf("%s: %s became %s", text, s.Canonical().Canonical(), again.Canonical().Canonical())
		}
		for _, v := range []string{"", "1", `"a"`, "[]", `["/ws/a", 1]`, "{}", `"cd /ws; rm -r a && git push"`} {
			home.sides(s, argument(t, v, false))
		}
	})
}
