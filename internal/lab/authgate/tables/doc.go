// Package tables lays out what package eval counts: the tables and figures of a
// paper on contrast pairs, and what such a paper leaves out. [Build] makes a
// report; package report writes it as HTML, Markdown, LaTeX and JSON.
//
// Every rate stands beside its fraction. Decisions that are planted or scripted
// put a banner on every table and figure.
package tables
