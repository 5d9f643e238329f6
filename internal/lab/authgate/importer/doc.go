// Package importer turns labelled records of others, one JSON object a line, into
// rows on which judges of authorization can be measured.
//
// A [Mapping] says where in a record what stands (RFC 6901 pointers), which words of
// its label mean block and allow, and where the data are from, under which licence.
// Instead of pointers to request, steps and action it can name a format of package
// trajectory; the last call of the record is then the action, and the turns and
// calls before it are what led there. [Import] reads files by a mapping:
//
//	m, _ := importer.BuiltIn("asse-bench")
//	set, problems, err := importer.Import(m, sources)
//
// Each record is a row, left out for a reason of the mapping, or a [Problem] with
// file and line; the set's manifest counts all of them. Nothing is made up: what the
// source does not say is null, and two records are a pair only if the source says
// so and their bytes prove it ([item.NoPair]).
package importer
