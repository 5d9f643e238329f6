package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

const team = `
schema: licet.authgate.mapping/1
name: team
source: logs of a team
license: CC0-1.0
id: /id
label: {at: /verdict, block: [bad, "1", "true"], allow: [good, "0", "false"]}
rationale: /why
pair: /pair
leave_out:
- {at: /unclear, is: ["true"], why: unclear}
request: /said
trajectory: {at: /steps, tool: /name, args: /input, result: /output}
action: {tool: /call/name, args: /call/input, cwd: /call/cwd}
`

func mapping(t testing.TB, text string) *Mapping {
	t.Helper()
	m, err := ReadMapping("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func from(lines ...string) []Source {
	return []Source{{"r.jsonl", strings.NewReader(strings.Join(lines, "\n"))}}
}

// record is one of team's, with the first of what is given in place of its own.
func record(change ...string) string {
	text := `{"id":7,"verdict":"bad","why":"Nobody asked.","said":["Look.","Tidy up."],"steps":[{"name":"ls","input":{"path":"."},"output":"a b"}],"call":{"name":"rm","input":"{\"path\":\"a\"}","cwd":"/w"}}`
	for i := 0; i < len(change); i += 2 {
		text = strings.Replace(text, change[i], change[i+1], 1)
	}
	return text
}

// TestRow is a record with all that a mapping can name.
func TestRow(t *testing.T) {
	set, problems, err := Import(mapping(t, team), from("", record(), record(`"verdict":"bad"`, `"verdict":false`, `"said":["Look.","Tidy up."]`, `"said":"Remove a."`)))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	a, b := set.Instances[0], set.Instances[1]
	if a.ID != "team-000001" || a.Label.Gold != item.Block || a.Label.Rationale != "Nobody asked." || a.License != "CC0-1.0" || a.PairID != "" || a.Mode != "" {
		t.Errorf("%+v", a)
	}
	v := a.Visible
	if len(v.Request) != 2 || v.Request[1].Text != "Tidy up." || len(v.Trajectory) != 1 || *v.Trajectory[0].Result != "a b" || string(v.Action.Args) != `{"path":"a"}` || v.Action.Cwd != "/w" {
		t.Errorf("%+v", v)
	}
	if b.Label.Gold != item.Allow || len(b.Visible.Request) != 1 {
		t.Errorf("%+v", b)
	}
}

// TestProblems: what a mapping does not fit is told with its line and what to do, and
// the rest is there.
func TestProblems(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `{"id":1`, "r.jsonl:2: "},
		{"a member twice", record(`"id":7`, `"id":7,"id":8`), "r.jsonl:2: "},
		{"an unknown word", record(`"bad"`, `"worse"`), `the label "worse" is no word of label.block or label.allow: add it there`},
		{"no label", record(`"verdict"`, `"other"`), "check the pointer label.at"},
		{"no request", record(`"said"`, `"sagt"`), "not a text or a list of texts"},
		{"an empty request", record(`["Look.","Tidy up."]`, `" "`), "turn 1 is empty"},
		{"no turns", record(`["Look.","Tidy up."]`, `[]`), "0 turns"},
		{"a turn that is no text", record(`"Look."`, `3`), "not a text"},
		{"steps that are no list", record(`"steps":[`, `"steps":{},"x":[`), "not a list"},
		{"a step without a tool", record(`"name":"ls"`, `"name":""`), "step 1: the tool"},
		{"an action without a tool", record(`"name":"rm"`, `"nom":"rm"`), "the action: the tool"},
		{"arguments that are a list", record(`"{\"path\":\"a\"}"`, `[1]`), "not an object"},
		{"arguments that are no JSON", record(`"{\"path\":\"a\"}"`, `"path a"`), "a text that is no JSON"},
		{"arguments that are too deep", record(`"{\"path\":\"a\"}"`, strings.Repeat(`{"a":`, 40)+"1"+strings.Repeat("}", 40)), "the arguments"},
	} {
		set, problems, err := Import(mapping(t, team), from(record(), tt.line, record()))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(problems) != 1 || problems[0].Line != 2 || !strings.Contains(problems[0].Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, problems, tt.want)
		}
		if m := set.Imported; m.Records != 3 || m.Rows != 2 || m.LeftOut[unread] != 1 {
			t.Errorf("%s: %+v", tt.name, m)
		}
	}
	if _, _, err := Import(mapping(t, team), from(`{}`)); err == nil || !strings.Contains(err.Error(), "of 1 records none is a row") {
		t.Error(err)
	}
	if _, _, err := Import(mapping(t, team), from(record(), strings.Repeat("x", maxRecord+1))); err == nil || !strings.Contains(err.Error(), "r.jsonl: line 2: longer than") {
		t.Error(err)
	}
}

// TestPairs: a source that names a pair is not enough.
func TestPairs(t *testing.T) {
	allow := func(change ...string) string {
		return record(append([]string{`"verdict":"bad"`, `"verdict":"good","pair":"p"`, "Tidy up.", "Remove a."}, change...)...)
	}
	block := record(`"id":7`, `"id":7,"pair":"p"`)
	for _, tt := range []struct {
		name  string
		lines []string
		pairs int
		why   string
	}{
		{"a pair", []string{block, allow()}, 1, ""},
		{"arguments written otherwise", []string{block, allow(`"{\"path\":\"a\"}"`, `{ "path" : "a" }`)}, 1, ""},
		{"another action", []string{block, allow(`{\"path\":\"a\"}`, `{\"path\":\"b\"}`)}, 0, "the actions differ"},
		{"another trajectory", []string{block, allow(`a b`, `a b c`)}, 0, "the trajectories differ"},
		{"one request", []string{block, allow("Remove a.", "Tidy up.")}, 0, "both have one request"},
		{"one label", []string{block, allow(`"good"`, `"bad"`)}, 0, "both have one label"},
		{"one alone", []string{block, record()}, 0, "the source names a pair of 1 records"},
		{"three", []string{block, allow(), allow()}, 0, "the source names a pair of 3 records"},
		{"not named", []string{record(), strings.Replace(allow(), `"pair"`, `"other"`, 1)}, 0, ""},
	} {
		set, problems, err := Import(mapping(t, team), from(tt.lines...))
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", tt.name, err, problems)
			continue
		}
		m := set.Imported
		if m.Pairs != tt.pairs || (tt.why == "") != (len(m.Unpaired) == 0) || tt.why != "" && m.Unpaired[tt.why] == 0 {
			t.Errorf("%s: %+v", tt.name, m)
		}
		if got := set.Instances[0].Role == item.Base && set.Instances[1].Role == item.Inverted; got != (tt.pairs == 1) {
			t.Errorf("%s: roles %q, %q", tt.name, set.Instances[0].Role, set.Instances[1].Role)
		}
	}
}

// TestReached: what no gate saw is no row, and what of it was to be blocked is counted.
func TestReached(t *testing.T) {
	m := mapping(t, team+"reached: {at: /gated, is: ['true']}\n")
	gated := func(b string, change ...string) string {
		return record(append([]string{`"id":7`, `"id":7,"gated":` + b}, change...)...)
	}
	set, problems, err := Import(m, from(gated("true"), gated("false"), gated("false"), gated("false", `"bad"`, `"good"`), record()))
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].What, "check the pointer reached.at") {
		t.Fatal(err, problems)
	}
	if c := set.Imported; c.Rows != 1 || c.LeftOut[noGate] != 3 || c.Unreached == nil || *c.Unreached != 2 {
		t.Errorf("%+v", c)
	}
	reopen(t, set)
}

// TestMapping: what a mapping lacks is told.
func TestMapping(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(team, old, new, 1) }
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "is empty"},
		{"another schema", with("mapping/1", "mapping/2"), "the schema is"},
		{"no licence", with("license: CC0-1.0\n", ""), "source or license is missing"},
		{"a name in capitals", with("name: team", "name: Team"), "is not one of small letters"},
		{"no words", with(`block: [bad, "1", "true"], allow: [good, "0", "false"]`, "block: []"), "at least one word"},
		{"a word of both", with("good,", "bad,"), `"bad" means both`},
		{"no action", with("action:", "action: null\n#"), "request and action are needed, or a format"},
		{"a format and more", team + "format: asse-bench\n", "leave them out"},
		{"no words of what a gate saw", team + "reached: {at: /x, is: []}\n", "reached: is is needed"},
		{"no reason", with(", why: unclear", ""), "why and is are needed"},
		{"no pointer", with("request: /said", "request: said"), `"said" is no JSON pointer`},
		{"an unknown word", team + "labels: x\n", "m.yaml:15: "},
		{"a list for a text", with("source: logs of a team", "source: [a]"), "m.yaml:4: "},
	} {
		if _, err := ReadMapping("m.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	format := "schema: licet.authgate.mapping/1\nname: x\nsource: s\nlicense: l\nlabel: {at: /l, block: [b]}\nformat: "
	if _, err := ReadMapping("m.yaml", []byte(format+"unheard-of")); err == nil || !strings.Contains(err.Error(), "is none of") {
		t.Error(err)
	}
}

// TestFormat: the last call of a record is the action, and what comes after it is not
// shown.
func TestFormat(t *testing.T) {
	m, _ := BuiltIn("asse-bench")
	talk := func(label, ambiguous int, messages string) string {
		return fmt.Sprintf(`{"id":1,"profile":"p","label":%d,"ambiguous":%d,"contents":[[%s]]}`, label, ambiguous, messages)
	}
	const user, call, result = `{"role":"user","content":"Look."}`, `{"role":"agent","action":"look()"}`, `{"role":"environment","content":"seen"}`
	const last, after = `{"role":"agent","action":"pay()"}`, `{"role":"user","content":"Thanks."}`
	set, problems, err := Import(m, from(
		talk(1, 0, strings.Join([]string{user, call, result, last, after}, ",")),
		talk(0, 0, user), talk(0, 0, call), talk(0, 1, user+","+call), talk(0, 0, user+","+call)))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	v := set.Instances[0].Visible
	if len(v.Request) != 1 || len(v.Trajectory) != 1 || v.Trajectory[0].Tool != "look" || *v.Trajectory[0].Result != "seen" || v.Action.Tool != "pay" {
		t.Errorf("%+v", v)
	}
	if got := set.Imported.LeftOut; got[noCall] != 1 || got[noTurn] != 1 || got["the source marks it as unclear"] != 1 || set.Imported.Rows != 2 {
		t.Errorf("%+v", set.Imported)
	}
}

// TestASSEBench reads the set of the repository, and the set that it becomes again.
func TestASSEBench(t *testing.T) {
	in, err := os.Open("../../../../corpora/asse-bench/security.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	m, _ := BuiltIn("asse-bench")
	set, problems, err := Import(m, []Source{{"security.jsonl.gz", in}})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if c := set.Imported; c.Records != 676 || c.Rows != 553 || c.Pairs != 0 || c.LeftOut[noCall] != 69 || c.LeftOut["the source marks it as unclear"] != 54 || c.License != "Apache-2.0" {
		t.Errorf("%+v", c)
	}
	reopen(t, set)
}

// reopen writes a set and reads it back, which must give the same.
func reopen(t *testing.T, set *item.Set) {
	t.Helper()
	dir := t.TempDir()
	if err := set.WriteImported(dir); err != nil {
		t.Fatal(err)
	}
	again, err := item.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Instances) != len(set.Instances) || again.Manifest.DatasetDigest != set.Manifest.DatasetDigest {
		t.Errorf("%d rows of %s were written, %d of %s read", len(set.Instances), set.Manifest.DatasetDigest, len(again.Instances), again.Manifest.DatasetDigest)
	}
}

// TestPacked: a packed file gives the same rows.
func TestPacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(record())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain, _, err := Import(mapping(t, team), from(record()))
	if err != nil {
		t.Fatal(err)
	}
	set, _, err := Import(mapping(t, team), []Source{{"r.jsonl", &packed}})
	if err != nil || set.Manifest.DatasetDigest != plain.Manifest.DatasetDigest {
		t.Errorf("%v, %+v", err, set)
	}
	if _, _, err := Import(mapping(t, team), []Source{{"r.jsonl", strings.NewReader("\x1f\x8bno")}}); err == nil {
		t.Error("a broken archive was read")
	}
}

// FuzzImport: each record is a row, left out or a problem, and what was imported can
// be written and read back.
func FuzzImport(f *testing.F) {
	for _, line := range []string{record(), record(`"bad"`, `"good"`), record(`"id":7`, `"pair":"p"`) + "\n" + record(`"verdict":"bad"`, `"verdict":0,"pair":"p"`, "Tidy", "Clean"), `{"unclear":true}`, "[]", "\x1f\x8b"} {
		f.Add(line)
	}
	m := mapping(f, team)
	f.Fuzz(func(t *testing.T, text string) {
		set, problems, err := Import(m, from(text))
		if err != nil {
			return
		}
		c, out := set.Imported, 0
		for _, n := range c.LeftOut {
			out += n
		}
		if c.Records != c.Rows+out || c.Rows != len(set.Instances) || c.LeftOut[unread] != len(problems) {
			t.Errorf("%+v with %d rows and %d problems", c, len(set.Instances), len(problems))
		}
		reopen(t, set)
	})
}

// FuzzMapping: what is read as a mapping has all that an import needs.
func FuzzMapping(f *testing.F) {
	f.Add(team)
	f.Add(string(asseBench))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadMapping("m.yaml", []byte(text))
		if err != nil {
			return
		}
		if _, problems, err := Import(m, from(record(), `{"contents":[]}`)); err == nil && len(problems) > 2 {
			t.Errorf("%d problems of two records", len(problems))
		}
	})
}
