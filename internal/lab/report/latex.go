package report

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
)

// latexHead says what the tables need, and how a rate stands above its fraction.
const latexHead = `% Needs \usepackage{booktabs} and \usepackage{graphicx}.
\providecommand{\ratecell}[2]{\begin{tabular}[t]{@{}r@{}}#1\\[-3pt]{\tiny #2}\end{tabular}}
`

// latexWide is from how many columns on a table is fitted to the width of a line.
const latexWide = 7

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
			if len(t.Rows) > 0 {
				t.latex(&b)
			}
		}
	}
	return []byte(b.String())
}

func (t pageTable) latex(b *strings.Builder) {
	fmt.Fprintf(b, "\n\\begin{table}[htbp]\n\\centering\\small\\setlength{\\tabcolsep}{3pt}\\setlength{\\belowcaptionskip}{4pt}\n\\caption{%s.", latexText(t.Caption))
	if t.Banner != "" {
		fmt.Fprintf(b, " \\textbf{%s.}", latexText(t.Banner))
	}
	fmt.Fprintf(b, "}\n\\label{tab:%s}\n", t.ID)
	wide := len(t.Columns) >= latexWide
	if wide {
		b.WriteString("\\resizebox{\\textwidth}{!}{%\n")
	}
	b.WriteString("\\begin{tabular}{l")
	for _, c := range t.Columns {
		b.WriteString(map[bool]string{true: "r", false: "l"}[c.IsNumber])
	}
	b.WriteString("}\n\\toprule\n")
	t.latexHeader(b)
	for _, row := range t.Rows {
		if row.Line {
			b.WriteString("\\midrule\n")
		}
		b.WriteString(latexText(row.Title))
		for _, c := range row.Cells {
			b.WriteString(" & " + c.latex())
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
	if wide {
		b.WriteString("}")
	}
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

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `"`, `''`,
)

// latexText writes a text so that LaTeX sees nothing but text in it.
func latexText(s string) string { return latexEscapes.Replace(comment(s)) }
