package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// exception is one finding that stays for a while.
type exception struct {
	why   string // why it cannot do harm here
	until string // what ends the exception
}

var vulnID = regexp.MustCompile(`^GO-[0-9]{4}-[0-9]{4,}$`)

// parseExceptions reads lines of the form "ID | why | until". Empty lines and
// lines that begin with # are comments.
func parseExceptions(text string) (map[string]exception, error) {
	exceptions := map[string]exception{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) != 3 || !vulnID.MatchString(fields[0]) || fields[1] == "" || fields[2] == "" {
			return nil, fmt.Errorf("line %d: want `GO-YEAR-NUMBER | why it cannot do harm | what ends the exception`", number)
		}
		if _, twice := exceptions[fields[0]]; twice {
			return nil, fmt.Errorf("line %d: %s stands twice", number, fields[0])
		}
		exceptions[fields[0]] = exception{why: fields[1], until: fields[2]}
	}
	return exceptions, nil
}

// scanResult is what a scan says of the code.
type scanResult struct {
	known   int               // vulnerabilities of modules that are required, reachable or not
	reached map[string]string // id to one reachable symbol
}

// message is the part we need of a message of govulncheck's JSON protocol
// v1 (golang.org/x/vuln/internal/govulncheck): frame 0 of a trace is the
// vulnerable symbol, and it has a function only where our code reaches it.
type message struct {
	Config *struct {
		ScanLevel string `json:"scan_level"`
	} `json:"config"`
	OSV     *struct{} `json:"osv"`
	Finding *struct {
		OSV   string  `json:"osv"`
		Trace []frame `json:"trace"`
	} `json:"finding"`
}

type frame struct {
	Package  string `json:"package"`
	Receiver string `json:"receiver"`
	Function string `json:"function"`
}

// readScan reads the messages of one scan. A stream that shows no sign of a
// scan by symbol with a filled database is an error: an empty answer is not
// good news.
func readScan(r io.Reader) (scanResult, error) {
	result := scanResult{reached: map[string]string{}}
	bySymbol := false
	for decoder := json.NewDecoder(r); ; {
		var m message
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return scanResult{}, err
		}
		if m.Config != nil {
			bySymbol = m.Config.ScanLevel == "symbol"
		}
		if m.OSV != nil {
			result.known++
		}
		if m.Finding != nil && len(m.Finding.Trace) > 0 && m.Finding.Trace[0].Function != "" {
			result.reached[m.Finding.OSV] = m.Finding.Trace[0].name()
		}
	}
	if !bySymbol || result.known == 0 {
		return scanResult{}, fmt.Errorf("no scan by symbol over a filled database (by symbol: %t, vulnerabilities known: %d)",
			bySymbol, result.known)
	}
	return result, nil
}

func (f frame) name() string {
	if f.Receiver == "" {
		return f.Package + "." + f.Function
	}
	return f.Package + "." + f.Receiver + "." + f.Function
}

// compare says how findings and exceptions differ, nil if they agree.
func compare(reached map[string]string, exceptions map[string]exception) error {
	var problems []error
	for _, id := range slices.Sorted(maps.Keys(reached)) {
		if _, ok := exceptions[id]; !ok {
			problems = append(problems, fmt.Errorf("%s: %s is reachable and no exception lists it", id, reached[id]))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(exceptions)) {
		if _, ok := reached[id]; !ok {
			problems = append(problems, fmt.Errorf("%s: listed as an exception but not found any more: remove the line", id))
		}
	}
	return errors.Join(problems...)
}
