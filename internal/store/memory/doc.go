// Package memory is a ledger.Store that keeps everything in this process and
// forgets it at its end. Tests and the evaluation lab use it; it promises what
// every store promises but durability, and is the shortest reading of that.
package memory
