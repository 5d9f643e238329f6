// Package report writes what the lab measured: a page of HTML that needs nothing
// else, the same in Markdown, all numbers as JSON and, if wanted, the tables for
// LaTeX and as CSV.
//
// A [Report] is data: sections with tables, charts over the columns of those
// tables, and the cases behind the numbers. Whoever measures something builds
// one and calls [Report.Write]:
//
//	r := report.Report{Title: "Baselines", Cases: cases}
//	r.Sections = []report.Section{{
//		ID: "answers", Title: "Answers", Tables: []report.Table{t},
//		Charts: []report.Chart{{ID: "admitted", Title: "Attacks admitted", Table: "answers", Columns: []string{"admitted"}}},
//	}}
//	err := r.Write(dir)
//
// A number is a [Count]: so many of so many, with the ids of the cases. Its
// share and the interval are computed here and nowhere else, so no number can
// stand without its denominator, and none without what is behind it. A [Rate] is
// the same of what has no list of cases, with an interval if one was estimated. A
// chart has no numbers of its own. [Report.Write] refuses a report that does not
// add up: a count without its cases, a case that is not described, an id twice.
//
// The output is a function of the report: no clock, host or path enters it.
// Every text is taken as hostile: names of cases come from attackers. The page
// permits itself no script, no form and no foreign resource
// (Content-Security-Policy), and follows the reader's choice of a light or dark
// theme.
//
// [Compare] says what got worse between the numbers of two runs.
package report
