//go:build !linux && !darwin

package main

// boundMemory does nothing where a process cannot bound those it starts.
func boundMemory(uint64) error { return nil }
