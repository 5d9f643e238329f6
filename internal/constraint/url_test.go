package constraint

import (
	"net/url"
	"strings"
	"testing"
)

// urlTable has the tricks by which a URL seems to lead somewhere else.
var urlTable = []kindCase{
	{
		spec: `{"url": {"hosts": ["docs.example.org", "*.cdn.example", "bücher.example"]}}`,
		permits: []string{
			`"https://docs.example.org"`, `"https://docs.example.org/"`, `"HTTPS://DOCS.Example.ORG/A"`, `"https://docs.example.org:443/x?y=z#f"`,
			`"https://a.cdn.example/"`, `"https://a.b.cdn.example/?q=a@b"`, `"https://docs.example.org?q=https://evil.example"`,
			`"https://docs.example.org/../x"`, `"https://docs.example.org/ä"`, `"https://bücher.example/"`, `"https://xn--bcher-kva.example/"`, `"https://BÜCHER.example"`,
			`"https://docs.example.org/a%2Fb"`,
		},
		refuses: []string{
			"", "null", `""`, "7", `["https://docs.example.org"]`, `"docs.example.org"`, `"//docs.example.org/"`, `"/x"`,
			`"http://docs.example.org"`, `"https://docs.example.org:8443"`, `"https://docs.example.org.evil.example/"`, `"https://evil.example/docs.example.org"`,
			`"https://docs.example.org@evil.example/"`, `"https://evil.example@docs.example.org/"`, `"https://user:x@docs.example.org"`, `"https://docs.example.org%40evil.example/"`,
			`"https://docs.example.org./"`, `"https://docs..example.org/"`, `"https://.docs.example.org/"`, `"https://evil.example#@docs.example.org/"`,
			`"https://docs.example.org\\@evil.example/"`, `"https:\\\\docs.example.org/"`, `"https:/docs.example.org/"`, `"https:docs.example.org"`, `"https:///docs.example.org/"`,
			`"https://docs.exa\tmple.org/"`, `"https://docs.example.org\n/"`, `" https://docs.example.org"`, `"https://docs.example.org/a b"`, `"https://docs.example.org\u0000"`,
			`"https://docs.example.org/\u200b"`, `"https://docs\u00ad.example.org/"`, `"https://docs%2eexample.org/"`, `"https://docs。example。org/"`, `"https://ｄocs.example.org/"`,
			`"https://dосs.example.org/"`, `"https://cdn.example/"`, `"https://xcdn.example/"`, `"https://docs.example.org:/"`, `"https://docs.example.org:0443/"`, `"https://docs.example.org:99999/"`,
			`"https://docs.example.org:443:443/"`, `"https://[docs.example.org]/"`, `"javascript:alert(1)//docs.example.org"`, `"file://docs.example.org/etc"`, `"data:text/html,x"`,
			`"https://xn--docs-.example/"`, `"https://example.org/"`, `"https:// docs.example.org"`, `"https://"`, `"https://?q"`,
		},
		forbids: []string{
			`"https://docs.example.org"`, `"http://docs.example.org"`, `"ftp://DOCS.example.org:2121/x"`, `"wss://a.cdn.example"`, `"https://docs.example.org./"`,
			`"https://good.example@docs.example.org/"`, `"https://docs.example.org\\@good.example/"`, `"https://docs。example。org/"`, `"https://docs.exam\nple.org/"`,
			`"docs.example.org"`, `""`, "7", "true", "[]", `["x"]`, "{}", `"https:///docs.example.org"`, `"javascript:x"`,
		},
		passes: []string{
			"", "null", `"https://good.example/"`, `"http://good.example/docs.example.org"`, `"https://docs.example.org.good.example"`, `"https://cdn.example"`,
			`"https://good.example/?u=https://docs.example.org"`, `"https://good.example/#docs.example.org"`, `"https://10.0.0.1/"`, `"https://xdocs.example.org"`, `"https://dосs.example.org/"`,
		},
	},
	{
		spec: `{"url": {"schemes": ["https", "http"]}}`,
		permits: []string{
			`"https://example.org/"`, `"http://93.184.215.14/"`, `"http://[2606:2800:21f::1]/"`, `"https://a.b.c.example"`, `"http://example.org:80"`,
			`"https://example.org/?x"`, `"https://8.8.8.8"`, `"http://1.1.1.1/dns"`, `"https://EXAMPLE.org"`, `"https://under_score.example"`,
		},
		refuses: []string{
			`"http://localhost/"`, `"http://app.localhost"`, `"http://printer/"`, `"http://nas.local"`, `"http://metadata.google.internal/"`, `"http://router.home.arpa"`, `"http://x.lan"`,
			`"http://127.0.0.1"`, `"http://127.1"`, `"http://2130706433"`, `"http://0x7f.0.0.1"`, `"http://0x7f000001"`, `"http://017700000001"`, `"http://0177.0.0.1"`, `"http://127.0.0.1."`,
			`"http://169.254.169.254/latest/meta-data"`, `"http://2852039166/"`, `"http://0xA9FEA9FE"`, `"http://10.0.0.1"`, `"http://192.168.1.1"`, `"http://172.16.0.1"`, `"http://100.64.0.1"`,
			`"http://0.0.0.0"`, `"http://0"`, `"http://224.0.0.1"`, `"http://255.255.255.255"`, `"http://[::1]"`, `"http://[::]"`, `"http://[::ffff:127.0.0.1]"`, `"http://[::ffff:7f00:1]"`, `"http://[0:0:0:0:0:ffff:7f00:1]"`,
			`"http://[fe80::1]"`, `"http://[fe80::1%25eth0]"`, `"http://[fc00::1]"`, `"http://[fd00:ec2::254]"`, `"http://[ff02::1]"`, `"http://[2002:7f00:1::]"`, `"http://[64:ff9b::7f00:1]"`,
			`"http://[2001:0:1::]"`, `"http://[::127.0.0.1]"`, `"http://[2001:db8::1]"`, `"http://①②⑦.⓪.⓪.①"`, `"http://127.0.0.1:443"`, `"ftp://example.org"`, `"http://::1/"`, `"http://[::1"`,
		},
		forbids: []string{`"https://example.org"`, `"http://127.0.0.1"`, `"http://0x7f.1"`, `"x"`, "1", "true", "{}", "[]", `"http://localhost"`, `"https://a@b"`},
		passes:  []string{"", "null", `"ftp://example.org"`, `"ws://example.org"`, `"wss://example.org"`, `"ftp://10.0.0.1"`, `"WS://a.example"`, `"wss://a.example:443"`, `"ftp://a.example/x"`, `"ws://[::1]/"`},
	},
	{
		spec: `{"url": {"schemes": ["http"], "hosts": ["127.0.0.1", "10.1.2.3", "2001:db8::7", "localhost", "*.internal"], "ports": [80, 8080]}}`,
		permits: []string{
			`"http://127.0.0.1"`, `"http://127.0.0.1:8080/"`, `"http://10.1.2.3:80"`, `"http://[2001:db8::7]:8080/x"`, `"http://[2001:DB8:0:0::7]"`,
			`"http://localhost"`, `"http://LOCALHOST:8080"`, `"http://a.internal"`, `"http://a.b.internal:8080"`, `"http://[2001:0db8::0007]"`,
		},
		refuses: []string{
			`"http://127.0.0.2"`, `"http://[::ffff:127.0.0.1]"`, `"http://0x7f.1"`, `"http://127.0.0.1:81"`, `"https://127.0.0.1"`, `"http://[2001:db8::8]"`, `"http://internal"`,
			`"http://x.localhost"`, `"http://10.1.2.4"`, `"http://[::1]"`,
		},
		forbids: []string{`"http://127.0.0.1"`, `"http://[::ffff:127.0.0.1]"`, `"http://[2002:7f00:1::]"`, `"http://[64:ff9b::7f00:1]"`, `"http://[64:ff9b::10.1.2.3]:8080"`, `"http://0177.0.0.1"`, `"http://[::10.1.2.3]"`, `"http://localhost"`, `"http://localhost."`, `"http://x.internal"`},
		passes:  []string{`"http://127.0.0.2"`, `"http://127.0.0.1:81"`, `"https://127.0.0.1"`, `"http://[::ffff:127.0.0.2]"`, `"http://internal"`, `"http://[2001:db8::8]"`, `"http://example.org"`, `"http://x.localhost"`, `"ws://127.0.0.1"`, `"http://[2606::1]"`},
	},
	{
		spec: `{"url": {"hosts": ["docs.example.org"], "paths": ["/pub/", "/api"]}}`,
		permits: []string{
			`"https://docs.example.org/pub/"`, `"https://docs.example.org/pub/a"`, `"https://docs.example.org/api"`, `"https://docs.example.org/api/x?y"`, `"https://docs.example.org/x/../api"`,
			`"https://docs.example.org/pub/./a"`, `"https://docs.example.org/p%75b/a"`, `"https://docs.example.org/pub/%2e/a"`, `"https://docs.example.org/pub//a"`, `"https://docs.example.org/api/..a"`,
		},
		refuses: []string{
			`"https://docs.example.org"`, `"https://docs.example.org/pub"`, `"https://docs.example.org/public"`, `"https://docs.example.org/apix"`, `"https://docs.example.org/pub/../../admin"`,
			`"https://docs.example.org/pub/%2e%2e/admin"`, `"https://docs.example.org/pub/..%2fadmin"`, `"https://docs.example.org/pub/%252e%252e/admin"`, `"https://docs.example.org/pub/..%5cadmin"`, `"https://docs.example.org/pub/..;/admin"`,
			`"https://docs.example.org/pub//../admin"`, `"https://docs.example.org/Pub/a"`, `"https://docs.example.org/pub/a%00"`, `"https://docs.example.org/pub/a%zz"`, `"https://docs.example.org/pub/a%"`, `"https://docs.example.org/?/pub/"`, `"https://docs.example.org#/pub/"`, `"https://docs.example.org/pub/.."`,
		},
		forbids: []string{
			`"https://docs.example.org/pub/a"`, `"http://docs.example.org/pub"`, `"https://docs.example.org/PUB/a"`, `"https://docs.example.org//pub/a"`, `"https://docs.example.org/pub;x/a"`, `"https://docs.example.org/api;x"`,
			`"https://docs.example.org/x%2f..%2fapi"`, `"https://docs.example.org/%61pi"`, `"https://docs.example.org/x/../api"`, `"https://docs.example.org/x//../y"`,
		},
		passes: []string{
			`"https://docs.example.org"`, `"https://docs.example.org/public"`, `"https://docs.example.org/apix"`, `"https://docs.example.org/x/api"`, `"https://docs.example.org/pub/../x"`,
			`"https://other.example.org/pub/a"`, `"https://docs.example.org/?/pub/"`, `"https://docs.example.org/x%20api"`, `"https://docs.example.org/x#/api"`, `"https://docs.example.org/pubs/"`,
		},
	},
}

func TestURL(t *testing.T) { checkKinds(t, urlTable, home) }

// FuzzURL states that a URL which is read has the same scheme, host and port for
// the URL package of Go, which follows another standard, and no user.
func FuzzURL(f *testing.F) {
	for _, tt := range urlTable {
		for _, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, text := range list {
				if text != "" {
					f.Add(value(f, text).Text())
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, ok := parseURL(s)
		if !ok {
			return
		}
		u, err := url.Parse(s)
		if err != nil {
			if !strings.Contains(err.Error(), "invalid URL escape") { // browsers keep bad escapes, in path and query
				t.Fatalf("%q: read as %+v, but %v", s, w, err)
			}
			return
		}
		if u.User != nil || u.Scheme != w.scheme || u.Port() != "" && u.Port() != portText(w) {
			t.Fatalf("%q: %+v and %+v", s, w, u)
		}
		if theirs, ok := parseHost(strings.TrimSuffix(strings.TrimSuffix(u.Host, ":"+u.Port()), ":")); !ok || theirs != w.host {
			t.Fatalf("%q: host %+v and %q", s, w.host, u.Host)
		}
	})
}

func portText(w webURL) string { return whole(w.port).Canonical() }
