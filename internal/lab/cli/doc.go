// Package cli is the licet-lab program as a function.
//
// Exit status: 0 fine, 1 something is wrong or failed, 2 wrong usage,
// 5 answers are to come in files.
package cli
