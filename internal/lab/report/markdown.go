package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/licet-dev/licet/internal/clikit"
)

// Markdown returns the report as GitHub Flavored Markdown. Charts are the files
// charts/ID.svg beside it.
func (r *Report) Markdown() []byte {
	p := r.page()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", plain(r.Title))
	banner(&b, r.Banner)
	paragraphs(&b, r.Warning, r.Text)
	facts(&b, r.Facts)
	fmt.Fprintf(&b, "%s\n\n", p.How)
	for i, s := range p.Sections {
		fmt.Fprintf(&b, "## %s\n\n", plain(s.Title))
		paragraphs(&b, s.Warning, r.Sections[i].Text)
		for _, c := range s.Charts {
			fmt.Fprintf(&b, "![%s](charts/%s.svg)\n\n", plain(c.Title+". "+c.Summary), c.ID)
		}
		for _, t := range s.Tables {
			t.markdown(&b)
		}
	}
	if len(p.Lists) > 0 {
		b.WriteString("## Cases behind the numbers\n\n")
	}
	for _, l := range p.Lists {
		fmt.Fprintf(&b, "<a id=\"%s\"></a>**%s: %s**\n\n", l.Anchor, plain(l.Title), l.Count)
		for _, c := range l.Cases {
			fmt.Fprintf(&b, "- [%s](#%s)\n", plain(c.ID), c.Anchor)
		}
		b.WriteString("\n")
	}
	if len(p.Cases) > 0 {
		b.WriteString("## All cases\n\n")
	}
	for _, c := range p.Cases {
		fmt.Fprintf(&b, "<a id=\"%s\"></a>**%s**\n\n", c.Anchor, plain(c.ID))
		paragraphs(&b, "", []string{c.Text})
		facts(&b, c.Facts)
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func paragraphs(b *strings.Builder, warning string, all []string) {
	if warning != "" {
		fmt.Fprintf(b, "> **Note:** %s\n\n", plain(warning))
	}
	for _, text := range all {
		if text != "" {
			fmt.Fprintf(b, "%s\n\n", plain(text))
		}
	}
}

func facts(b *strings.Builder, all []Fact) {
	for _, f := range all {
		fmt.Fprintf(b, "- %s: %s\n", plain(f.Name), plain(f.Value))
	}
	if len(all) > 0 {
		b.WriteString("\n")
	}
}

func banner(b *strings.Builder, text string) {
	if text != "" {
		fmt.Fprintf(b, "*%s*\n\n", plain(text))
	}
}

func (t pageTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "**%s**\n\n", plain(t.Caption))
	banner(b, t.Banner)
	if len(t.Rows) == 0 {
		fmt.Fprintf(b, "%s\n\n", plain(t.Empty))
		return
	}
	header, line := "| "+plain(t.Corner)+" |", "|---|"
	for _, c := range t.Columns {
		header += " " + plain(c.whole())
		if c.Note != "" {
			header += " (" + c.Note + ")"
		}
		header += " |"
		line += "---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", header, line)
	for _, r := range t.Rows {
		fmt.Fprintf(b, "| %s |", plain(r.Title))
		for _, c := range r.Cells {
			text := plain(c.Text)
			if c.Best {
				text = "**" + text + "**"
			}
			if c.Anchor != "" {
				text = fmt.Sprintf("[%s](#%s)", text, c.Anchor)
			}
			if c.Share != "" {
				text += " (" + c.Share + ")"
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	paragraphs(b, "", []string{t.Note})
}

// plain writes a text so that Markdown sees nothing but text in it, in one line:
// every ASCII punctuation character may stand behind a backslash (CommonMark
// 0.31, section 2.4).
func plain(s string) string {
	var b strings.Builder
	for _, r := range clikit.Printable(strings.Join(strings.Fields(s), " ")) {
		switch {
		case r == '.' && strings.HasSuffix(strings.ToLower(b.String()), "www"): // GitHub makes a link of it
			b.WriteString(`\.`)
		case r == '.' || r == ',' || r == ';' || r == '/' || r == '%' || r == '?' || r == '\'' || r == '"' || r == '=':
			b.WriteRune(r) // of no meaning inside a line
		case r < 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r)):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
