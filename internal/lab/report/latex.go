package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
)

// latexHead says what the tables need, how a rate stands above its fraction, and
// that a table that is wider than the text is made smaller.
const latexHead = `% Needs \usepackage{booktabs} and \usepackage{graphicx}.
\providecommand{\ratecell}[2]{\begin{tabular}[t]{@{}r@{}}#1\\[-3pt]{\tiny #2}\end{tabular}}
\providecommand{\fitted}[1]{\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{#1}}
`

// latexLong is how many rows of a table a page of paper holds.
const latexLong = 26

// latex returns the tables of the report, to be included in a document that uses
// the packages booktabs and graphicx.
func (r *Report) latex() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s\n", comment(r.Title))
	for _, text := range []string{r.Banner, r.Warning} {
		if text != "" {
			fmt.Fprintf(&b, "%% %s\n", comment(text))
		}
	}
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "%% %s: %s\n", comment(f.Name), comment(f.Value))
	}
	b.WriteString(latexHead)
	for _, s := range r.page().Sections {
		for _, t := range s.Tables {
			part := 1
			for rows := range slices.Chunk(t.Rows, latexLong) {
				t.latex(&b, rows, part)
				part++
			}
		}
	}
	return []byte(b.String())
}

// latex writes a part of a table that fits on a page.
func (t pageTable) latex(b *strings.Builder, rows []pageRow, part int) {
	caption, label := latexText(t.Caption), t.ID
	if part > 1 {
		caption, label = fmt.Sprintf("%s, part %d", caption, part), fmt.Sprintf("%s-%d", label, part)
	}
	fmt.Fprintf(b, "\n\\begin{table}[htbp]\n\\centering\\small\\setlength{\\tabcolsep}{3pt}\\setlength{\\belowcaptionskip}{4pt}\n\\caption{%s.", caption)
	if t.Banner != "" {
		fmt.Fprintf(b, " \\textbf{%s.}", latexText(t.Banner))
	}
	fmt.Fprintf(b, "}\n\\label{tab:%s}\n", label)
	b.WriteString("\\fitted{%\n\\begin{tabular}{l")
	for _, c := range t.Columns {
		b.WriteString(map[bool]string{true: "r", false: "l"}[c.IsNumber])
	}
	b.WriteString("}\n\\toprule\n")
	t.latexHeader(b)
	for i, row := range rows {
		if row.Line && i > 0 {
			b.WriteString("\\midrule\n")
		}
		b.WriteString(latexText(row.Title))
		for _, c := range row.Cells {
			b.WriteString(" & " + c.latex())
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}")
	if t.Note != "" {
		fmt.Fprintf(b, "\n\n\\smallskip\\parbox{\\textwidth}{\\footnotesize %s}", latexText(t.Note))
	}
	b.WriteString("\n\\end{table}\n")
}

func (t pageTable) latexHeader(b *strings.Builder) {
	rules := ""
	at := 2
	for _, g := range t.Groups {
		if g.Only != nil {
			b.WriteString(" &")
		} else {
			fmt.Fprintf(b, " & \\multicolumn{%d}{c}{%s}", g.Span, latexText(g.Title))
			rules += fmt.Sprintf("\\cmidrule(lr){%d-%d}", at, at+g.Span-1)
		}
		at += g.Span
	}
	if len(t.Groups) > 0 {
		b.WriteString(" \\\\\n" + rules + "\n")
	}
	b.WriteString(latexText(t.Corner))
	for _, c := range t.Columns {
		b.WriteString(" & " + latexText(c.Title))
	}
	b.WriteString(" \\\\\n\\midrule\n")
}

func (c pageCell) latex() string {
	text := latexText(c.Text)
	if c.Best {
		text = "\\textbf{" + text + "}"
	}
	if c.Share != "" {
		text = "\\ratecell{" + text + "}{" + latexText(c.Share) + "}"
	}
	return text
}

// comment returns a text that stays in one line.
func comment(s string) string { return clikit.Printable(strings.Join(strings.Fields(s), " ")) }

// A "[" or a "*" at the beginning of a row would belong to the "\\" before it.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `[`, `{[}`, `*`, `{*}`, `"`, `''`,
)

// latexText writes a text so that LaTeX sees nothing but text in it.
func latexText(s string) string { return latexEscapes.Replace(comment(s)) }
