package main

import (
	"strings"
	"testing"
)

func TestParseExceptions(t *testing.T) {
	good := "# comment\n\nGO-2026-6603 | HTTP/1.1 only | go1.26.9 is the minimum\n"
	got, err := parseExceptions(good)
	want := exception{why: "HTTP/1.1 only", until: "go1.26.9 is the minimum"}
	if err != nil || len(got) != 1 || got["GO-2026-6603"] != want {
		t.Errorf("parseExceptions(good) = %v, %v", got, err)
	}
	for name, text := range map[string]string{
		"no reason":    "GO-2026-6603 | | never",
		"no end":       "GO-2026-6603 | harmless |",
		"two fields":   "GO-2026-6603 | harmless",
		"four fields":  "GO-2026-6603 | a | b | c",
		"other id":     "CVE-2026-1 | harmless | never",
		"listed twice": good + good,
	} {
		if got, err := parseExceptions(text); err == nil {
			t.Errorf("%s: accepted as %v", name, got)
		}
	}
}

const (
	config  = `{"config":{"scan_level":"symbol"}}`
	osv     = `{"osv":{"id":"GO-2026-1111"}}`
	reached = `{"finding":{"osv":"GO-2026-1111","trace":[{"package":"net/http","receiver":"*Server","function":"Serve"},{"package":"x","function":"main"}]}}`
	linked  = `{"finding":{"osv":"GO-2026-2222","trace":[{"package":"net/http"}]}}`
	module  = `{"finding":{"osv":"GO-2026-3333","trace":[{"module":"stdlib"}]}}`
)

func TestReadScan(t *testing.T) {
	result, err := readScan(strings.NewReader(config + osv + osv + reached + linked + module))
	if err != nil {
		t.Fatal(err)
	}
	if result.known != 2 {
		t.Errorf("known = %d, want 2", result.known)
	}
	if len(result.reached) != 1 || result.reached["GO-2026-1111"] != "net/http.*Server.Serve" {
		t.Errorf("reached = %v, want only the finding with a function", result.reached)
	}
	for name, stream := range map[string]string{
		"nothing":        "",
		"no database":    config,
		"no scan":        osv,
		"scan by module": `{"config":{"scan_level":"module"}}` + osv,
		"cut short":      config + osv + `{"finding":`,
	} {
		if result, err := readScan(strings.NewReader(stream)); err == nil {
			t.Errorf("%s: accepted as %v", name, result)
		}
	}
}

func TestCompare(t *testing.T) {
	found := map[string]string{"GO-2026-1111": "net/http.Serve"}
	listed := map[string]exception{"GO-2026-1111": {why: "w", until: "u"}}
	tests := []struct {
		name       string
		reached    map[string]string
		exceptions map[string]exception
		want       string // part of the error, "" = none
	}{
		{"nothing found, nothing listed", nil, nil, ""},
		{"found and listed", found, listed, ""},
		{"found, not listed", found, nil, "net/http.Serve is reachable"},
		{"listed, not found", nil, listed, "not found any more"},
	}
	for _, test := range tests {
		err := compare(test.reached, test.exceptions)
		if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: compare = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestUsage(t *testing.T) {
	var out, errOut strings.Builder
	if got := run(nil, &out, &errOut); got != 2 || !strings.Contains(errOut.String(), "usage") {
		t.Errorf("run() = %d, %q", got, errOut.String())
	}
	errOut.Reset()
	if got := run([]string{t.TempDir() + "/none"}, &out, &errOut); got != 1 || errOut.Len() == 0 {
		t.Errorf("run with a missing file = %d, %q", got, errOut.String())
	}
}
