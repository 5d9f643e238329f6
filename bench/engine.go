package main

import (
	"encoding/json"
	"runtime/debug"
)

// engine decides calls under one policy.
type engine struct {
	name    string
	version string // of a peer's module
	holds   bool   // knows held calls; else they are blocked
	decide  func(request) (answer, error)
}

// decoded is what a peer needs of a message, as encoding/json reads it fastest:
// with the names spelled as they come.
type decoded struct {
	Params struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	} `json:"params"`
}

// decode reads the message of a call for a peer.
func decode(r request) (tool string, arguments map[string]any, err error) {
	var d decoded
	err = json.Unmarshal(r.message, &d)
	return d.Params.Name, d.Params.Arguments, err
}

// versionOf returns the version of a module that this program is built with.
func versionOf(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return "of unknown version"
}
