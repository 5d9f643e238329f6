// Package shared lets several processes, on one machine or many, answer the
// questions of one run together: package internal/lab/shared with each question as a
// job, and its answer as the result.
//
// When all questions are answered, each process copies the answers into its own
// journal, so that its folder is that of a run on one machine.
package shared
