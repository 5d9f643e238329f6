// Fuzz runs every fuzz target of the module for a bounded time and proves
// that it did.
//
//	go run ./tools/fuzz -each 30s              30 seconds for each target
//	go run ./tools/fuzz -each 30s -budget 4m   less for each, so that all fit into 4 minutes
//
// As many targets as there are processors are fuzzed at once, each in one
// process, so that one is built while another is fuzzed. The budget counts
// fuzzing, not building. It fails if a target finds something or reports no
// executions, even given twice more time to get past its seeds, and if a
// package that parses has no target: one with an exported Parse..., Decode...,
// Load..., Read... or Unmarshal... function or method that takes text, bytes
// or a reader.
package main
