package shell

import (
	"path"
	"slices"
	"strings"
)

// specials are programs whose operands are a language of their own. A row names
// one with special=NAME; its options are read from the table all the same.
var specials map[string]func(u *use)

func init() { // the functions refer to the map
	specials = map[string]func(u *use){
		"shell": shellProgram, "find": find, "sed": sed, "awk": awk, "dd": dd, "tar": tar,
		"test": test, "link": link, "jq": jq, "gitconfig": gitConfigProgram,
	}
}

// shellProgram is sh, bash and their like.
func shellProgram(u *use) {
	dialect := Sh
	if u.name[0] == "bash" {
		dialect = Bash
	}
	switch {
	case u.meanings["noexec"] && u.meanings["command"]:
	case u.meanings["noexec"]:
		for _, f := range u.operands {
			u.effect("read", f)
		}
	case u.meanings["command"] && len(u.operands) > 0:
		u.runsText(u.operands[0], dialect)
	case u.meanings["stdin"] || len(u.operands) == 0:
		u.runsInput("shell")
	default:
		u.effect("run", u.operands[0])
	}
}

// findValues are the tests of find that take one word; findFlags those that
// take none.
var (
	findValues = strings.Fields(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype
		-size -mtime -mmin -atime -amin -ctime -cmin -used -perm -user -group -uid -gid -maxdepth -mindepth -links -inum
		-lname -ilname -fstype -printf -newermt -newerat -newerct`)
	findFlags = strings.Fields(`-print -print0 -ls -prune -quit -depth -d -empty -executable -readable -writable -mount
		-xdev -daystart -true -false -not -a -and -o -or -noleaf -nouser -nogroup -warn -nowarn -ignore_readdir_race ( ) ! ,`)
	findFiles  = []string{"-newer", "-anewer", "-cnewer", "-samefile"}
	findOutput = []string{"-fprint", "-fprint0", "-fls", "-fprintf"}
)

// find reads starting points and then an expression. What it finds is at or
// below a starting point.
func find(u *use) {
	words := u.operands
	if len(words) > 0 && slices.Contains([]string{"--help", "-help", "--version", "-version"}, words[0].text) {
		return
	}
	for len(words) > 0 && words[0].known && slices.Contains([]string{"-H", "-P"}, words[0].text) {
		words = words[1:]
	}
	at := slices.IndexFunc(words, func(f field) bool {
		return f.lead != "" && (f.lead[0] == '-' || slices.Contains([]string{"(", "!"}, f.text))
	})
	starts, expr := words, []field(nil)
	if at >= 0 {
		starts, expr = words[:at], words[at:]
	}
	if len(starts) == 0 {
		starts = []field{literal(".", u.span)}
	}
	starts = slices.Clone(starts)
	for i := range starts {
		if starts[i].mayBeOption() {
			u.unknown(u.by, starts[i].span, "this word may be a part of the expression")
		}
		starts[i].tree = true
		u.effect("read", starts[i])
	}
	for len(expr) > 0 {
		expr = expr[u.findPart(starts, expr):]
	}
}

// findPart reads one part of the expression and returns how many words it has.
func (u *use) findPart(starts, expr []field) int {
	word := expr[0]
	one := len(expr) > 1 && !expr[1].many
	switch {
	case !word.known:
	case slices.Contains(findFlags, word.text):
		return 1
	case slices.Contains(findValues, word.text) && one:
		return 2
	case slices.Contains(findFiles, word.text) && one:
		u.effect("read", expr[1])
		return 2
	case slices.Contains(findOutput, word.text) && one:
		u.effect("write", expr[1])
		if word.text == "-fprintf" {
			return min(3, len(expr))
		}
		return 2
	case word.text == "-delete":
		for _, start := range starts {
			start.span = word.span
			at := len(u.analyzer.effects)
			u.effect("write", start)
			u.making(at, MakesNothing)
		}
		return 1
	case slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, word.text):
		return u.findExec(starts, expr)
	}
	u.unknown(u.by, word.span, "a part of find's expression that is not known")
	return 1
}

// execEnd returns where the command of -exec ends: at ";", or at a "+" behind "{}".
// Any other "+" is a word of it.
func execEnd(expr []field) int {
	for i, f := range expr {
		if f.known && (f.text == ";" || f.text == "+" && expr[i-1].text == "{}") {
			return i
		}
	}
	return -1
}

// findExec walks the command of -exec, once for each starting point. With
// -execdir and -okdir it runs in the folder of what was found.
func (u *use) findExec(starts, expr []field) int {
	end := execEnd(expr)
	if end < 0 {
		u.unknown(u.by, expr[0].span, "the command of "+expr[0].text+" has no end")
		return len(expr)
	}
	dir, st := strings.HasSuffix(expr[0].text, "dir"), u.st
	if dir {
		st = st.in(nil)
	}
	for _, start := range starts {
		args := slices.Clone(expr[1:end])
		for i, f := range args {
			switch {
			case f.text == "{}" && f.known:
				args[i] = start
				args[i].span = f.span
				args[i].many = expr[end].text == "+"
				if dir {
					args[i] = field{text: "{}", lead: "./", span: f.span} // in a folder below the start
				}
			case strings.Contains(f.text, "{}"):
				args[i] = field{text: f.text, span: f.span}
			}
		}
		u.under(args, st, u.by)
	}
	return end + 1
}

// sed reads a script, then files.
func sed(u *use) {
	for _, v := range u.values {
		if v.kind == "place" {
			u.sedScript(v.field)
		}
	}
	files := u.operands
	if !u.coded && len(files) > 0 {
		u.sedScript(files[0])
		files = files[1:]
	}
	for _, f := range files {
		u.effect("read", f)
		u.keptCopy(f)
	}
}

// keptCopy records the copy of a file that sed -i keeps under a name made from the
// value of the option: a suffix, or a name in which "*" stands for the file's.
func (u *use) keptCopy(f field) {
	for _, v := range u.values {
		switch {
		case v.kind != "inplace" || v.known && v.text == "" || v.text == "" && v.lead == "":
		case !v.known || strings.ContainsAny(v.text, "*/"):
			u.unknown(u.by, v.span, "a copy under a name that is not followed")
		default:
			f.text += v.text
			u.effect("write", f)
		}
	}
}

func (u *use) sedScript(f field) {
	if !f.known {
		u.unknown(u.by, f.span, "a script of sed that is not known")
		return
	}
	s := sedScanner{text: f.text}
	for !s.end() && !s.lost {
		s.command()
	}
	for _, file := range s.reads {
		u.effect("read", literal(file, f.span))
	}
	for _, file := range s.writes {
		u.effect("write", literal(file, f.span))
	}
	if s.runs || s.lost {
		u.unknown(u.by, f.span, "a script of sed that runs a command, or is not understood")
	}
}

// sedScanner reads a script of GNU sed for what it does outside of its text.
type sedScanner struct {
	text          string
	reads, writes []string
	runs, lost    bool
}

func (s *sedScanner) end() bool {
	s.text = strings.TrimLeft(s.text, " \t\n;")
	return s.text == ""
}

// command reads an address and a command.
func (s *sedScanner) command() {
	s.address()
	if s.text == "" {
		s.lost = true
		return
	}
	c := s.text[0]
	s.text = s.text[1:]
	switch {
	case strings.IndexByte("{}dDgGhHnNpPxzF=", c) >= 0:
	case strings.IndexByte("lqQL", c) >= 0:
		s.text = strings.TrimLeft(s.text, " 0123456789")
	case strings.IndexByte("aic", c) >= 0:
		s.lines()
	case c == '#':
		s.line()
	case strings.IndexByte(":btT", c) >= 0:
		s.label()
	case c == 'r' || c == 'R':
		s.reads = append(s.reads, s.line())
	case c == 'w' || c == 'W':
		s.writes = append(s.writes, s.line())
	case c == 's':
		s.delimited(2)
		s.flags()
	case c == 'y':
		s.delimited(2)
	default: // e runs a command
		s.runs = true
		s.line()
	}
}

// address reads what stands before a command: numbers, /patterns/, "$", ",".
func (s *sedScanner) address() {
	for s.text != "" && !s.lost {
		switch c := s.text[0]; {
		case strings.IndexByte("0123456789$,~+! \t", c) >= 0:
			s.text = s.text[1:]
		case c == '/':
			s.delimited(1)
			s.text = strings.TrimLeft(s.text, "IM")
		case c == '\\' && len(s.text) > 1:
			s.text = s.text[1:]
			s.delimited(1)
			s.text = strings.TrimLeft(s.text, "IM")
		default:
			return
		}
	}
}

// delimited skips n texts between delimiters, the first of which is next. In
// brackets GNU sed ends a text at the delimiter all the same.
func (s *sedScanner) delimited(n int) {
	if s.text == "" || s.text[0] == '\\' || s.text[0] == '\n' {
		s.lost = true
		return
	}
	delimiter := s.text[0]
	i := 1
	for ; n > 0 && i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '[', ']': // inside brackets some delimiters are plain: do not guess
			s.lost = s.lost || strings.IndexByte("[]", delimiter) >= 0
		case delimiter:
			n--
		}
	}
	s.lost = s.lost || n > 0
	s.text = s.text[min(i, len(s.text)):]
}

// flags reads the flags of s///.
func (s *sedScanner) flags() {
	for s.text != "" {
		c := s.text[0]
		switch {
		case strings.IndexByte("gpiIMm0123456789", c) >= 0:
			s.text = s.text[1:]
		case c == 'w':
			s.text = s.text[1:]
			s.writes = append(s.writes, s.line())
			return
		case strings.IndexByte(" \t\n;}", c) >= 0:
			return
		default:
			s.runs = true // e runs the text
			return
		}
	}
}

// line takes the rest of the line: a file name, a command or a comment, in
// which a backslash at the end is nothing special.
func (s *sedScanner) line() string {
	line, rest, _ := strings.Cut(s.text, "\n")
	s.text = rest
	return strings.TrimLeft(line, " \t")
}

// lines skips the text of a, i and c, which goes on behind a line that ends in a
// backslash, unless another one quotes that.
func (s *sedScanner) lines() {
	for {
		line := s.line()
		quotes := len(line) - len(strings.TrimRight(line, `\`))
		if quotes%2 == 0 || s.text == "" {
			return
		}
	}
}

func (s *sedScanner) label() {
	i := strings.IndexAny(s.text, ";\n}")
	if i < 0 {
		i = len(s.text)
	}
	s.text = s.text[i:]
}

// awk reads a program, then files and assignments.
func awk(u *use) {
	files := u.operands
	if !u.coded && len(files) > 0 {
		u.awkProgram(files[0])
		files = files[1:]
	}
	for _, v := range u.values {
		if v.kind == "place" {
			u.awkProgram(v.field)
		}
	}
	for _, f := range files {
		u.effect("read", f)
	}
}

// awkProgram records that a program may run commands or touch files, unless it
// holds nothing that awk does this with. A ">" before the first action can only
// compare.
func (u *use) awkProgram(f field) {
	text := strings.ReplaceAll(f.text, "||", "")
	pattern, action, _ := strings.Cut(text, "{")
	harmless := f.known && !strings.ContainsAny(text, "|@") && !strings.Contains(action, ">") &&
		!strings.Contains(text, "system") && !strings.Contains(text, "getline") && !strings.Contains(text, "ARG") &&
		!strings.Contains(pattern, "print") && !strings.Contains(pattern, `\`) && !strings.Contains(text, "\\\n")
	if !harmless {
		u.opaque(u.by, f.span, "a program of awk that may run commands or write files")
	}
}

// dd takes name=value.
func dd(u *use) {
	for _, f := range u.operands {
		name, _, found := strings.Cut(f.lead, "=")
		switch {
		case !found:
			u.unknown(u.by, f.span, "an operand of dd that is not known")
		case name == "if":
			u.effect("read", f.cut(len("if=")))
		case name == "of":
			u.effect("write", f.cut(len("of=")))
		}
	}
}

// tar takes an archive and, by mode, files to put in or names to take out.
func tar(u *use) {
	modes := 0
	for _, mode := range []string{"create", "extract", "list"} {
		if u.meanings[mode] {
			modes++
		}
	}
	if modes != 1 {
		u.unknown(u.by, u.span, "a mode of tar that is not known")
		return
	}
	for _, v := range u.values {
		if v.kind != "archive" {
			continue
		}
		kind := Read
		if u.meanings["create"] {
			kind = Write
		}
		if v.text != "-" { // -C does not count for it
			u.file(u.start, u.by, kind, v.field, false, "")
		}
		if strings.Contains(v.text, ":") || !v.known {
			u.unknown(u.by, v.span, "an archive that may be on another host")
		}
	}
	switch {
	case u.meanings["create"]:
		for _, f := range u.operands {
			u.effect("readtree", f)
		}
	case u.meanings["extract"] && !u.meanings["stdout"]:
		u.effect("tree", literal(".", u.span))
		u.unknownIf(u.meanings["absolute"], "names in the archive lead anywhere")
	}
}

func (u *use) unknownIf(is bool, why string) {
	if is {
		u.unknown(u.by, u.span, why)
	}
}

// jq reads a filter, which may name files to read, then files.
func jq(u *use) {
	if len(u.operands) > 0 && !u.coded {
		f := u.operands[0]
		names := slices.ContainsFunc([]string{"import", "include", "load"}, func(word string) bool { return strings.Contains(f.text, word) })
		u.unknownIf(!f.known || names, "a filter that may read files")
	}
	u.effectsOfOperands()
}

// test is test and [. With -v and -R bash evaluates an index in the name.
func test(u *use) {
	for i, f := range u.operands {
		index := i+1 < len(u.operands) && (!u.operands[i+1].known || strings.Contains(u.operands[i+1].text, "["))
		if f.known && (f.text == "-v" || f.text == "-R") || !f.known && (f.many && !f.glob || index) {
			u.unknown(u.by, f.span, "this may be the test -v, which evaluates an index")
		}
	}
}

// gitConfigProgram is git config: with a name alone it reads.
func gitConfigProgram(u *use) {
	if u.meanings["reads"] || len(u.operands) == 1 && !u.meanings["edits"] {
		return
	}
	file := literal(".git/config", u.span)
	if u.meanings["global"] {
		home, known := u.value(u.st, "HOME")
		file = field{text: home + "/.gitconfig", known: known, span: u.span}
	}
	u.effect("write", file)
	safe := false
	if len(u.operands) > 0 && u.operands[0].known {
		s := findSetting("git:" + strings.ToLower(u.operands[0].text))
		safe = s != nil && s.kind == "safe"
	}
	u.unknownIf(!safe, "a setting of git that may run programs later")
}

// link is ln: what later happens through the link happens to the target. A
// target of a symbolic link counts from the folder of the link.
func link(u *use) {
	targets, name := u.operands, field{}
	if n := len(targets); n > 1 && !u.meanings["dest"] {
		targets, name = targets[:n-1], targets[n-1]
		u.effect("dest", name)
	} else if n == 1 && !u.meanings["dest"] {
		u.effect("dest", literal(".", u.span))
	}
	for _, target := range targets {
		u.throughLink(target)
		if !u.meanings["symbolic"] || strings.HasPrefix(target.lead, "/") || !strings.Contains(target.text, "..") && target.known {
			continue
		}
		for _, folder := range []string{path.Dir(name.text), name.text} {
			from := field{text: folder + "/" + target.text, known: name.known && target.known, span: target.span}
			u.throughLink(from)
		}
	}
}

func (u *use) throughLink(target field) {
	u.file(u.st, u.by, Read, target, true, "what is done through the link")
	u.file(u.st, u.by, Write, target, true, "what is done through the link")
}
