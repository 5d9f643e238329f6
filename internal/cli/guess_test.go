package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// parsed returns a JSON text as a value.
func parsed(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// catalogOf returns a catalog of tool definitions in JSON.
func catalogOf(t testing.TB, tools ...string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Parse([]byte(`{"tools":[` + strings.Join(tools, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The names are those of servers in use. All claim here that they only read.
func TestReadingName(t *testing.T) {
	for server, names := range map[string]map[string]bool{
		"filesystem": {
			"read_file": true, "read_text_file": true, "read_media_file": true, "read_multiple_files": true,
			"list_directory": true, "list_directory_with_sizes": true, "directory_tree": true,
			"search_files": true, "get_file_info": true, "list_allowed_directories": true,
			"write_file": false, "edit_file": false, "create_directory": false, "move_file": false,
		},
		"git": {
			"git_status": true, "git_diff_unstaged": true, "git_diff_staged": true, "git_diff": true, "git_log": true,
			"git_show": true, "git_commit": false, "git_add": false, "git_reset": false, "git_create_branch": false,
			"git_checkout": false, "git_init": false, "git_branch": false,
		},
		"github": {
			"search_repositories": true, "get_file_contents": true, "list_commits": true, "list_issues": true,
			"search_code": true, "get_pull_request_status": true, "create_or_update_file": false, "push_files": false,
			"fork_repository": false, "merge_pull_request": false, "add_issue_comment": false,
			"update_pull_request_branch": false, "create_pull_request_review": false, "get_commit": false,
		},
		"slack": {
			"slack_list_channels": true, "slack_get_channel_history": true, "slack_get_thread_replies": true,
			"slack_get_users": true, "slack_post_message": false, "slack_reply_to_thread": false, "slack_add_reaction": false,
		},
		"postgres":   {"query": true, "execute_sql": false, "list_schemas": true, "explain_query": false},
		"fetch":      {"fetch": false, "fetch_url": false},
		"memory":     {"read_graph": true, "search_nodes": true, "delete_entities": false, "add_observations": false},
		"playwright": {"browser_snapshot": false, "browser_click": false, "browser_navigate": false},
		"time":       {"get_current_time": true, "convert_time": false},
		"shell":      {"run_command": false, "exec": false},
		"": {
			"getUser": true, "ListItems": true, "HTTPGet": false, "get-user": true, "get.user": true, "GET_USER": true,
			"getAndDelete": false, "list_then_pay": false, "check_out": false, "": false, "---": false, "reader": false,
		},
	} {
		for name, want := range names {
			if got := readingName(name, server); got != want {
				t.Errorf("%s: readingName(%q) = %v", server, name, got)
			}
		}
	}
}

// A server cannot take a writing word away by calling itself so.
func TestReadingNameHostileServer(t *testing.T) {
	if readingName("delete_list_files", "delete") {
		t.Error("a tool that deletes was taken for one that reads")
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string]string{
		"read_text_file": "read text file", "readTextFile": "read text file", "HTTPGetURL": "http get url",
		"list-all.now": "list all now", "getV2": "get v2", "__": "", "ÄnderNamen": "änder namen",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("nameWords(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ tool, schema, paths, reaching, involved string }{
		{"read", `{"properties":{"path":{"type":"string"}},"required":["path"]}`, "path!", "", ""},
		{"read", `{"properties":{"path":{"type":"string"},"head":{"type":"number"}}}`, "path", "", ""},
		{"read", `{"properties":{"paths":{"type":"array","items":{"type":"string"}}},"required":["paths"]}`, "paths[]!", "", ""},
		{"read", `{"properties":{"outputDir":{"type":["string","null"]}}}`, "outputDir", "", ""},
		{"read", `{"properties":{"repo_path":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, "repo_path", "", ""},
		{"read", `{"properties":{"a.file":{"type":"string"}}}`, `["a.file"]`, "", ""},
		{"read", `{"properties":{"opts":{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"filename":{"type":"string"}},"required":["filename"]}}},"required":["files"]}},"required":["opts"]}`,
			"opts.files[].filename!", "", ""},
		{"move_file", `{"properties":{"source":{"type":"string"},"destination":{"type":"string"}}}`, "destination source", "", ""},
		{"find_route", `{"properties":{"source":{"type":"string"},"destination":{"type":"string"}}}`, "", "", ""},
		{"read", `{"properties":{"file_id":{"type":"string"},"path":{"type":"integer"}}}`, "", "", ""},
		{"read", `{"properties":{"url":{"type":"string"}}}`, "", "url", ""},
		{"read", `{"properties":{"source_uri":{"type":"string"},"n":{"type":"number"}}}`, "", "source_uri", ""},
		{"read", `{"properties":{}}`, "", "", ""},
		{"read", `{"properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, "", "", "involved"},
		{"read", `{"properties":{"x":{"type":"object"}}}`, "", "", "involved"},
		{"read", `{"properties":{"x":{}}}`, "", "", "involved"},
		{"read", `{"properties":{"x":true}}`, "", "", "involved"},
		{"read", `{"properties":{"x":{"type":"array"}}}`, "", "", "involved"},
		{"read", `{"properties":{"path":{"type":["string","array"],"items":{"type":"string"}}}}`, "", "", "involved"},
		{"read", `{"properties":{"x":{"anyOf":[{"type":"object","properties":{"path":{"type":"string"}}},{"type":"null"}]}}}`, "", "", "involved"},
		{"read", `{"allOf":[{"properties":{"path":{"type":"string"}}}]}`, "", "", "involved"},
		{"read", `{"patternProperties":{".*":{"type":"string"}}}`, "", "", "involved"},
	} {
		var a arguments
		a.object(parsed(t, tt.schema), toolcall.Path{}, fileName(tt.tool), true)
		var paths []string
		for _, p := range a.paths {
			mark := ""
			if p.required {
				mark = "!"
			}
			paths = append(paths, p.path.String()+mark)
		}
		got := fmt.Sprintf("%s; %s; %v", strings.Join(paths, " "), a.reaching, a.involved)
		if want := fmt.Sprintf("%s; %s; %v", tt.paths, tt.reaching, tt.involved != ""); got != want {
			t.Errorf("%s %s\ngot  %s\nwant %s", tt.tool, tt.schema, got, want)
		}
	}
}

func TestGuessRule(t *testing.T) {
	const (
		claims = `"annotations":{"readOnlyHint":true}`
		path   = `"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
		none   = `"inputSchema":{"type":"object","properties":{}}`
	)
	dirs := []string{"/data"}
	for _, tt := range []struct {
		tool string
		dirs []string
		want string
	}{
		{`{"name":"read_file",` + path + `,` + claims + `}`, dirs, "allow"},
		{`{"name":"read_file",` + path + `,` + claims + `}`, nil, "approve"},
		{`{"name":"list_all",` + none + `,` + claims + `}`, nil, "allow"},
		{`{"name":"read_file",` + path + `}`, dirs, "approve"},
		{`{"name":"read_file",` + path + `,"annotations":{"readOnlyHint":"true"}}`, dirs, "approve"},
		{`{"name":"read_file",` + path + `,"annotations":{"readOnlyHint":false}}`, dirs, "approve"},
		{`{"name":"write_file",` + path + `,` + claims + `}`, dirs, "approve"},
		{`{"name":"summarize",` + none + `,` + claims + `}`, dirs, "approve"},
		{`{"name":"get_page","inputSchema":{"type":"object","properties":{"url":{"type":"string"}}},` + claims + `}`, dirs, "approve"},
		{`{"name":"get_it","inputSchema":{"type":"object","properties":{"x":{"type":"object"}}},` + claims + `}`, dirs, "approve"},
	} {
		g := guessRule(catalogOf(t, tt.tool).Tools[0], "s", tt.dirs)
		if g.word != tt.want || g.why == "" {
			t.Errorf("%s with %q: %s (%s), want %s", tt.tool, tt.dirs, g.word, g.why, tt.want)
		}
	}
}
