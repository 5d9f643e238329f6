package tool

import (
	"io/fs"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what is shown.
const (
	maxEntries = 200
	maxLines   = 400
	maxBytes   = 16 << 10
	maxMatches = 50
	maxMatch   = 240 // bytes of a line

	// maxWork bounds a search, in bytes times instructions of the expression, which
	// package regexp may look at each of: seconds. A clock would make it end elsewhere
	// when the run is played again.
	maxWork = 100_000_000
)

// clean returns a path as it is looked up: exactly "/" is the workspace.
func clean(name string) string {
	if name == "/" {
		return "."
	}
	return path.Clean(name)
}

// integer returns a number that a schema has bounded.
func integer(v toolcall.Value) int {
	n, _ := v.Number().Int64()
	return int(n)
}

func (s *Session) listDir(name string) (answer, error) {
	entries, err := fs.ReadDir(s.root.FS(), name)
	if err != nil {
		if info, err := s.root.Lstat(name); err == nil && !info.IsDir() {
			return failed("not_a_folder"), nil
		}
		if code := problem(err); code != "" {
			return failed(code), nil
		}
		return answer{}, err
	}
	type entry struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Size int    `json:"size"`
	}
	var data struct {
		Entries   []entry `json:"entries"`
		Truncated bool    `json:"truncated"`
	}
	for _, e := range entries { // by name
		if len(data.Entries) == maxEntries {
			data.Truncated = true
			break
		}
		switch {
		case e.IsDir():
			data.Entries = append(data.Entries, entry{e.Name(), "dir", 0})
		case e.Type().IsRegular():
			info, err := e.Info()
			if err != nil {
				return answer{}, err
			}
			data.Entries = append(data.Entries, entry{e.Name(), "file", int(info.Size())})
		}
	}
	return done(data), nil
}

func (s *Session) readFile(args toolcall.Value) (answer, error) {
	name, start, end := clean(args.Get("path").Text()), integer(args.Get("start")), integer(args.Get("end"))
	text, err := s.read(name)
	if err != nil {
		if code := problem(err); code != "" {
			return failed(code), nil
		}
		return answer{}, err
	}
	lines := task.Lines(text)
	if start > end || start > len(lines) {
		return failed("no_such_lines"), nil
	}
	last := min(end, len(lines), start+maxLines-1)
	shown := strings.Join(lines[start-1:last], "\n") + "\n"
	for len(shown) > maxBytes && last > start {
		last--
		shown = strings.Join(lines[start-1:last], "\n") + "\n"
	}
	if len(shown) > maxBytes || !utf8.ValidString(shown) {
		return failed("not_a_text"), nil
	}
	span := s.span(name, text, start, last, shown)
	a := done(struct {
		Span      string `json:"span"`
		Path      string `json:"path"`
		Start     int    `json:"start"`
		End       int    `json:"end"`
		Total     int    `json:"total_lines"`
		Text      string `json:"text"`
		Truncated bool   `json:"truncated"`
	}{span.ID, name, start, last, len(lines), shown, last < min(end, len(lines))})
	a.Spans = []trace.Span{span}
	return a, nil
}

type match struct {
	Span string `json:"span"`
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func (s *Session) search(args toolcall.Value) (answer, error) {
	re2 := args.Get("re2").Text()
	expression, err := regexp.Compile(re2)
	if err != nil {
		return failed("bad_expression"), nil
	}
	size, err := instructions(re2)
	if err != nil {
		return answer{}, err
	}
	names, err := s.files()
	if err != nil {
		return answer{}, err
	}
	var data struct {
		Matches   []match `json:"matches"`
		Truncated bool    `json:"truncated"`
	}
	var spans []trace.Span
	work := 0
	glob := globExpression(args.Get("glob").Text())
	for _, name := range names {
		if !glob.MatchString(name) {
			continue
		}
		text, err := s.read(name)
		if err != nil {
			return answer{}, err
		}
		if work += size * len(text); work > maxWork {
			return failed("too_costly"), nil
		}
		for i, line := range task.Lines(text) {
			if !expression.MatchString(line) || !utf8.ValidString(line) {
				continue
			}
			if len(spans) == maxMatches {
				data.Truncated = true
				break
			}
			span := s.span(name, text, i+1, i+1, line+"\n")
			spans = append(spans, span)
			data.Matches = append(data.Matches, match{span.ID, name, i + 1, cut(line)})
		}
	}
	a := done(data)
	a.Spans = spans
	return a, nil
}

// instructions counts what an expression becomes, which may be a thousand times as long
// as it is.
func instructions(re2 string) (int, error) {
	parsed, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

// cut returns a line of maxMatch bytes at most.
func cut(line string) string {
	if len(line) <= maxMatch {
		return line
	}
	return strings.ToValidUTF8(line[:maxMatch], "")
}

// globExpression turns a glob into an expression: ** stands for any text, * for any
// within one name, ? for one character of it.
func globExpression(glob string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(glob)
	quoted = strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`).Replace(quoted)
	return regexp.MustCompile(`\A(?:` + quoted + `)\z`)
}
