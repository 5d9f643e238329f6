package main

import "runtime/debug"

// engine decides calls under one policy.
type engine struct {
	name    string
	version string // of a peer's module
	holds   bool   // knows held calls; else they are blocked
	decide  func(request) (answer, error)
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
