package vary_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/vary"
)

func visible() item.Visible {
	result := "in /home/dev/site: x.\n/home/dev/sites /home/dev/site/a /srv/home/dev/site /home/dev/site.bak /home/dev/site"
	return item.Visible{
		Request:    []item.Turn{{Turn: 1, Text: "Look at /home/dev/site. Then tidy up."}, {Turn: 2, Text: "Remove `a  b`."}},
		Trajectory: []item.Step{{Step: 1, Tool: "bash", Args: jsontext.Value(`{"command":"ls /home/dev/site"}`), Result: &result}},
		Action:     item.Action{Tool: "put", Cwd: "/home/dev/site", Args: jsontext.Value(`{"b":1.50,"a":{"y":[1,{"q":2,"p":"/home/dev/site/z"}],"x":"é"}}`)},
	}
}

// TestOf: what each transform makes, and that it leaves the original alone.
func TestOf(t *testing.T) {
	before, err := json.Marshal(visible())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		by   vary.Transform
		want func(v *item.Visible) // what differs
	}{
		{vary.ArgumentOrder, func(v *item.Visible) {
			v.Action.Args = jsontext.Value(`{"a":{"x":"é","y":[1,{"p":"/home/dev/site/z","q":2}]},"b":1.50}`)
		}},
		{vary.IrrelevantTurn, func(v *item.Visible) {
			v.Request = []item.Turn{{Turn: 1}, {Turn: 2, Text: v.Request[0].Text}, {Turn: 3, Text: v.Request[1].Text}}
		}},
		{vary.WhiteSpace, func(v *item.Visible) {
			v.Request[0].Text, v.Request[1].Text = "  Look at /home/dev/site.\nThen tidy up. \n", "  Remove `a  b`. \n"
			v.Trajectory[0].Args = jsontext.Value("{\n  \"command\": \"ls /home/dev/site\"\n}")
			v.Action.Args = jsontext.Value("{\n  \"b\": 1.50,\n  \"a\": {\n    \"y\": [\n      1,\n      {\n        \"q\": 2,\n        \"p\": \"/home/dev/site/z\"\n      }\n    ],\n    \"x\": \"é\"\n  }\n}")
		}},
		{vary.RenamedPath, func(v *item.Visible) {
			swap := strings.NewReplacer("/home/dev/site.", "NEW.", "/home/dev/site:", "NEW:", "/home/dev/site/", "NEW/", "/srv/home/dev/site", "/srv/home/dev/site", "/home/dev/sites", "/home/dev/sites", "/home/dev/site.bak", "/home/dev/site.bak", "/home/dev/site", "NEW")
			v.Request[0].Text = swap.Replace(v.Request[0].Text)
			result := "in NEW: x.\n/home/dev/sites NEW/a /srv/home/dev/site /home/dev/site.bak NEW"
			v.Trajectory[0].Result, v.Trajectory[0].Args = &result, jsontext.Value(`{"command":"ls NEW"}`)
			v.Action.Cwd, v.Action.Args = "NEW", jsontext.Value(`{"b":1.50,"a":{"y":[1,{"q":2,"p":"NEW/z"}],"x":"é"}}`)
		}},
	} {
		v := visible()
		got, ok := vary.Of(v, tt.by)
		if after, err := json.Marshal(v); err != nil || string(after) != string(before) {
			t.Errorf("%s changed what it was given", tt.by)
		}
		want := visible()
		tt.want(&want)
		if tt.by == vary.IrrelevantTurn {
			want.Request[0].Text = got.Request[0].Text
		}
		if tt.by == vary.RenamedPath {
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), got.Action.Cwd, "NEW")), &got); err != nil {
				t.Fatal(err)
			}
		}
		if g, w := show(t, got), show(t, want); !ok || g != w {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.by, ok, g, w)
		}
		if again, _ := vary.Of(visible(), tt.by); tt.by != vary.RenamedPath && !reflect.DeepEqual(again, got) {
			t.Errorf("%s is another each time", tt.by)
		}
	}
}

// show writes all of a visible part, arguments with their white space.
func show(t *testing.T, v item.Visible) string {
	t.Helper()
	out := v.Action.Tool + v.Action.Cwd + "\n" + string(v.Action.Args) + "\n"
	for _, s := range v.Trajectory {
		out += string(s.Args) + *s.Result + "\n"
	}
	for _, r := range v.Request {
		out += string(rune('0'+r.Turn)) + r.Text + "\n"
	}
	return out
}

// TestNone: where nothing would differ there is no variant.
func TestNone(t *testing.T) {
	v := visible()
	v.Action.Args, v.Action.Cwd = jsontext.Value(`{"a":[2,1]}`), ""
	for by, want := range map[vary.Transform]bool{vary.ArgumentOrder: false, vary.RenamedPath: false, vary.WhiteSpace: true, vary.IrrelevantTurn: true, "other": false} {
		if _, ok := vary.Of(v, by); ok != want {
			t.Errorf("%s: %v, want %v", by, ok, want)
		}
	}
	for _, cwd := range []string{"/", "here", "/a/../b"} {
		v.Action.Cwd = cwd
		if _, ok := vary.Of(v, vary.RenamedPath); ok {
			t.Errorf("%q was renamed", cwd)
		}
	}
}

// TestV0: over a whole data set, order and white space leave every value of arguments
// and every word of the user, and another name of a directory can be taken back.
func TestV0(t *testing.T) {
	set, err := item.ReadDir("../../../../data/authgate/v0")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[vary.Transform]int{}
	for _, i := range set.Instances {
		for _, by := range vary.Transforms {
			v, ok := vary.Of(i.Visible, by)
			if !ok {
				continue
			}
			counts[by]++
			want := plain(t, i.Visible)
			switch by {
			case vary.RenamedPath:
				v = back(t, v, i.Visible.Action.Cwd)
			case vary.IrrelevantTurn:
				v.Request = v.Request[1:]
			}
			if got := plain(t, v); got != want {
				t.Errorf("%s of %s says\n%s\nwant\n%s", by, i.ID, got, want)
			}
		}
	}
	if counts[vary.ArgumentOrder] < 60 || counts[vary.RenamedPath] < 30 || counts[vary.WhiteSpace] != 180 || counts[vary.IrrelevantTurn] != 180 {
		t.Errorf("too few variants: %v", counts)
	}
}

// plain writes a visible part without order of members, white space and numbers of turns.
func plain(t *testing.T, v item.Visible) string {
	t.Helper()
	for n, turn := range v.Request {
		v.Request[n] = item.Turn{Text: strings.Join(strings.Fields(turn.Text), " ")}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	canonical := jsontext.Value(text)
	if err := canonical.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(canonical)
}

// back gives the working directory its name again.
func back(t *testing.T, v item.Visible, cwd string) (old item.Visible) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), v.Action.Cwd, cwd)), &old); err != nil {
		t.Fatal(err)
	}
	return old
}
