//go:build linux || darwin

package main

import "syscall"

// boundMemory bounds the address space of everything started from here. A mutant
// that allocates without end fails its tests then, and is killed, where it would
// take all memory of the machine with it.
func boundMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
