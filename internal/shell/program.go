package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// use is one run of a program: its row, and what its words turned out to be.
type use struct {
	*walker
	row      *row
	st       state
	start    state // before options have changed the folder
	by       int
	span     Span // of the whole command
	name     []string
	given    []string // options, in every spelling
	meanings map[string]bool
	operands []field
	values   []value // of options, in order
	loose    bool    // a word that is not known may be an option or subcommand
	coded    bool    // an option gave the code, so no operand is it
	help     bool
}

// value is the value of an option.
type value struct {
	kind string
	field
}

// program walks a command that is a program.
func (w *walker) program(args []field, st state, by int) {
	if !w.step(len(args)) {
		return
	}
	r, name, system := findProgram(args[0].text)
	u := &use{walker: w, row: r, st: st, start: st, by: by, span: spanOf(args), name: []string{name}, meanings: map[string]bool{}}
	switch {
	case !system:
		u.execute(args)
		w.runsFile(st, by, args[0])
	case r == nil:
		u.execute(args)
		w.opaque(by, args[0].span, "a program that the table does not know")
	default:
		at := len(w.effects)
		u.execute(args)
		u.scan(r.bundled(args[1:]))
		if at < len(w.effects) { // only now is it known what was said
			w.effects[at].Name, w.effects[at].Options, w.effects[at].Loose = u.name, u.given, u.loose
		}
		u.effects()
	}
}

func (u *use) execute(args []field) {
	e := Effect{Kind: Execute, Words: words(args), Name: u.name, Options: u.given}
	if name := args[0].text; !strings.Contains(name, "/") {
		e.Search, e.Folders = name, u.start.cwds
	}
	u.add(u.by, u.span, e)
}

// scan sorts the words into options, their values and operands, and goes on
// with the row of a subcommand where there is one.
func (u *use) scan(args []field) {
	for i := 0; i < len(args); i++ {
		f, next := args[i], args[i+1:]
		u.loose = u.loose || !f.known && (f.mayBeOption() || strings.HasPrefix(f.lead, "-"))
		switch {
		case u.row.has("nooptions"):
			u.operands = append(u.operands, f)
		case f.known && f.text == "--" && !u.row.others:
			u.scanOperands(next)
			return
		case f.known && f.text == "--":
			// Options that are not listed may have taken it as their value.
		case strings.HasPrefix(f.lead, "--") || u.row.has("longdash") && strings.HasPrefix(f.lead, "-") && len(f.lead) > 2:
			i += u.long(f, next)
		case strings.HasPrefix(f.lead, "-") && len(f.text) > 1:
			i += u.short(f, next)
		case len(u.row.subs) > 0 && len(u.operands) == 0:
			if u.subcommand(f, next) {
				return
			}
		case strings.HasPrefix(f.lead, "+") && u.row.has("plus"):
			u.unknown(u.by, f.span, "a command that the program runs first")
		case !f.known && f.mayBeOption() && u.row.acts():
			u.unknown(u.by, f.span, "this word may be an option; a path that begins with ./ cannot be")
			u.operands = append(u.operands, f)
		case u.row.has("stop"):
			u.operands = append(u.operands, args[i:]...)
			return
		default:
			u.operands = append(u.operands, f)
		}
	}
}

// bundled writes the old form of tar's options, "xfz FILE", as "-xzf FILE".
// With two letters that take a word each it gives up.
func (r *row) bundled(args []field) []field {
	if !r.has("bundle") || len(args) == 0 || !args[0].known || strings.HasPrefix(args[0].text, "-") {
		return args
	}
	var flags, valued string
	for _, letter := range args[0].text {
		if o := r.options["-"+string(letter)]; o != nil && o.takes != 0 {
			valued += string(letter)
		} else {
			flags += string(letter)
		}
	}
	args = slices.Clone(args)
	args[0] = literal("-"+flags+valued, args[0].span)
	if len(valued) > 1 {
		args[0] = field{text: args[0].text, lead: "-", span: args[0].span}
	}
	return args
}

func (r *row) has(word string) bool {
	_, ok := r.about[word]
	return ok
}

func (u *use) scanOperands(args []field) {
	if len(u.row.subs) > 0 && len(args) > 0 && u.subcommand(args[0], args[1:]) {
		return
	}
	u.operands = append(u.operands, args...)
}

// subcommand goes on with the row of a subcommand, and says whether it did.
func (u *use) subcommand(f field, rest []field) bool {
	sub := u.row.subs[f.text]
	if !f.known || sub == nil {
		why := "a subcommand that the table does not know"
		if !f.known {
			u.unknown(u.by, f.span, "which subcommand is run is not known")
		} else if !u.help {
			u.opaque(u.by, f.span, why)
		}
		u.operands = append(u.operands, rest...)
		u.row = &row{about: map[string]string{}}
		return true
	}
	u.row, u.name = sub, append(slices.Clone(u.name), f.text)
	u.scan(rest)
	return true
}

// long reads a long option, and returns how many of the next words it takes.
func (u *use) long(f field, next []field) int {
	name, _, attached := strings.Cut(f.lead, "=")
	if !f.known && !attached {
		u.unknown(u.by, f.span, "which option this is is not known")
		return 0
	}
	options := u.row.named(name)
	if len(options) == 0 && u.row.has("longdash") && !strings.HasPrefix(name, "--") {
		return u.short(f, next)
	}
	if u.isHelp(name) {
		return 0
	}
	if len(options) == 0 {
		u.given = append(u.given, name)
		u.unlisted(f)
		if positive, negated := strings.CutPrefix(name, "--no-"); negated && u.row.others && len(u.row.named("--"+positive)) > 0 {
			u.unknown(u.by, f.span, "an option that takes back another one")
		}
		return 0
	}
	exact := slices.Contains(options[0].names, name)
	took := 0
	for _, o := range options {
		if !exact && (o.acts() || o.takes != 0 || len(options) > 1) {
			u.unknown(u.by, f.span, "an abbreviated option")
		}
		switch {
		case attached:
			u.take(o, f.cut(len(name)+1))
		case o.takes == ':' && len(next) > 0:
			u.take(o, next[0])
			took = 1
		default:
			u.take(o, field{span: f.span})
		}
	}
	return took
}

// short reads a bundle of short options, and returns how many of the next
// words it takes.
func (u *use) short(f field, next []field) int {
	for i := 1; i < len(f.lead); i++ {
		name := "-" + f.lead[i:i+1]
		o := u.row.options[name]
		if o == nil {
			if !u.row.others && u.row.has("number") && f.lead[i] >= '0' && f.lead[i] <= '9' {
				continue
			}
			u.given = append(u.given, name)
			u.unlisted(f)
			continue
		}
		switch {
		case o.takes == 0:
			u.take(o, field{span: f.span})
		case i+1 < len(f.text):
			u.take(o, f.cut(i+1))
			return 0
		case o.takes == ':' && len(next) > 0:
			u.take(o, next[0])
			return 1
		default:
			u.take(o, field{span: f.span})
		}
	}
	if !f.known {
		u.unknown(u.by, f.span, "which option this is is not known")
	}
	return 0
}

func (u *use) isHelp(name string) bool {
	if name != "--help" && name != "--version" {
		return false
	}
	u.given = append(u.given, name)
	u.help = u.help || len(u.operands) == 0
	return true
}

func (u *use) unlisted(f field) {
	if !u.row.others {
		u.unknown(u.by, f.span, "an option that the table does not know")
	}
}

// take notes an option with its value.
func (u *use) take(o *option, f field) {
	u.given = append(u.given, o.names...)
	if o.meaning != "" {
		u.meanings[o.meaning] = true
	}
	if o.takes == 0 {
		u.coded = u.coded || o.meaning == "place"
		return
	}
	if f.many {
		u.unknown(u.by, f.span, "a value that may be several words")
	}
	u.values = append(u.values, value{o.kind, f})
	switch o.kind {
	case "place", "placeread", "code":
		u.coded = true
	case "inplace", "dest", "out", "backup":
		u.meanings[o.kind] = true
	case "chdir":
		u.chdir(f)
	}
}

// chdir lets the program work in another folder.
func (u *use) chdir(f field) {
	var cwds []string
	for _, cwd := range u.st.cwds {
		if f.known {
			cwds = append(cwds, u.join(cwd, f.text))
		}
	}
	u.st = u.st.in(cwds)
}

// effects records what the words lead to.
func (u *use) effects() {
	if u.help {
		return
	}
	if u.row.has("unignored") && !u.meanings["ignored"] {
		defer u.unignored(len(u.analyzer.effects))
	}
	for _, v := range u.values {
		if v.text == "-" && v.known && v.kind != "unknown" && v.kind != "run" {
			continue // standard input or output
		}
		u.effect(v.kind, v.field)
	}
	if special, ok := specials[u.row.about["special"]]; ok {
		special(u)
	} else {
		u.effectsOfOperands()
	}
	for _, word := range []string{"default", "net", "opaque", "unknown", "worktree", "takes", "reads", "writes", "edits"} {
		if says, ok := u.row.about[word]; ok {
			u.always(word, says)
		}
	}
	if u.meanings["opaque"] {
		u.opaque(u.by, u.span, "an option lets it run what its input says")
	}
	if u.meanings["unknown"] {
		u.unknown(u.by, u.span, "an option with an effect that is not known")
	}
	if u.meanings["downloads"] {
		u.file(u.st, u.by, Write, literal(".", u.span), true, "the server chooses the name")
	}
	if u.meanings["net"] {
		u.add(u.by, u.span, Effect{Kind: Network, Opaque: true, Why: "the host is not said"})
	}
}

// always records what a row does whatever its words are.
func (u *use) always(word, says string) {
	switch word {
	case "opaque":
		u.opaque(u.by, u.span, cmp.Or(strings.ReplaceAll(says, "_", " "), "does what its input says"))
	case "unknown":
		u.unknown(u.by, u.span, strings.ReplaceAll(says, "_", " "))
	case "net":
		u.add(u.by, u.span, Effect{Kind: Network, Host: says, Opaque: says == "", Why: "talks to a host by itself"})
	case "worktree":
		u.workTree(Write)
	case "takes":
		if u.meanings["all"] {
			u.workTree(Read)
		}
	case "reads":
		u.effect("read", literal(says, u.span))
	case "edits":
		u.effect("edittree", literal(says, u.span))
	case "writes":
		if !u.meanings["out"] {
			u.effect("tree", literal(says, u.span))
		}
	case "default":
		if len(u.operands) == 0 {
			kind, file, _ := strings.Cut(says, ":")
			u.effect(kind, literal(file, u.span))
		}
	}
}

// workTree records that the files that git has checked out are read or written.
func (u *use) workTree(kind Kind) {
	if kind == Write && u.meanings["dry"] {
		return
	}
	from := len(u.analyzer.effects)
	u.file(u.st, u.by, kind, literal(".", u.span), true, "the work tree of git")
	for i := range u.analyzer.effects[from:] {
		u.analyzer.effects[from+i].WorkTree = true
	}
}

// unignored says of the trees from at on that are read that git leaves out what it
// ignores.
func (u *use) unignored(at int) {
	for i := range u.analyzer.effects[min(at, len(u.analyzer.effects)):] {
		e := &u.analyzer.effects[at+i]
		e.Unignored = e.Kind == Read && e.Tree
	}
}

// effectsOfOperands gives each operand its slot. Where a word may be several or
// none, others may move, so they get the effects of every slot.
func (u *use) effectsOfOperands() {
	slots := u.row.operands
	if u.coded && len(slots) > 0 {
		slots = slots[1:] // an option has taken its place
	}
	if u.meanings["dest"] && len(slots) > 0 {
		slots = slots[:len(slots)-1]
	}
	if len(slots) > 0 && (slots[0].kind == "argv" || slots[0].kind == "joined") {
		u.wrapped(u.operands, slots[0].kind)
		return
	}
	if u.row.has("here") {
		u.readsHere(slots)
	}
	uncertain := false
	for _, f := range u.operands {
		uncertain = uncertain || f.many && !f.glob
	}
	for i, f := range u.operands {
		s, after := slotOf(slots, i, len(u.operands))
		switch {
		case s.kind == "argv" || s.kind == "joined":
			u.wrapped(u.operands[i:], s.kind)
			return
		case uncertain:
			for _, s := range slots {
				u.effect(s.kind, f)
			}
		default:
			u.effect(s.kind, f)
			if f.glob && after.kind != s.kind {
				u.effect(after.kind, f)
			}
		}
	}
	if in := u.row.about["stdin"]; in != "" && !u.coded && len(u.operands) == 0 {
		u.runsInput(in)
	}
}

// readsHere is what looks through the folder that it is in where it is given no
// file to look through, and nothing to read.
func (u *use) readsHere(slots []slot) {
	last := slots[len(slots)-1].kind
	if len(u.operands) < len(slots) && u.st.input.kind == elsewhere && (last == "readtree" || u.meanings["tree"]) {
		u.effect("readtree", literal(".", u.span))
	}
}

// slotOf returns the slot of operand i of n, and the one that is repeated. The
// slots before that are filled from the front, those after it from the back.
func slotOf(slots []slot, i, n int) (own, repeated slot) {
	if len(slots) == 0 {
		return slot{kind: "data"}, slot{kind: "data"}
	}
	many := slices.IndexFunc(slots, func(s slot) bool { return s.many })
	if many < 0 {
		many = len(slots) - 1
	}
	back := len(slots) - 1 - many
	switch {
	case i < many:
		return slots[i], slots[many]
	case n-i <= back && i > 0:
		return slots[len(slots)-(n-i)], slots[many]
	}
	return slots[many], slots[many]
}

// effect records what a word of a kind leads to.
func (u *use) effect(kind string, f field) {
	switch kind {
	case "data", "place", "inplace", "archive", "replaces", "backup":
	case "read", "placeread", "readtree", "chdir", "atread", "formread", "page", "format", "upload", "spec", "treespec":
		u.reads(kind, f)
	case "writespec", "write", "tree", "edittree", "out", "edit", "beside", "dest", "numbered":
		u.writes(kind, f)
	case "from", "to", "remote", "host", "net":
		u.network(kind, f)
	case "shell":
		u.runsText(f, Sh)
	case "shellwith":
		u.runsText(withWords(f), Sh)
	case "code":
		u.opaque(u.by, f.span, "runs code of another language")
	case "run":
		if f.known && f.text == "-" {
			u.runsInput(u.row.about["stdin"])
		} else {
			u.runsFile(u.st, u.by, f)
		}
	case "gitconfig":
		u.gitConfig(f)
	case "sshoption":
		u.sshOption(f)
	case "opaque":
		u.opaque(u.by, f.span, "does what its input says")
	default:
		u.unknown(u.by, f.span, "a word with an effect that is not known")
	}
}

// reads records a word that names a file to read.
func (u *use) reads(kind string, f field) {
	switch kind {
	case "placeread": // in place of the first operand
		u.file(u.st, u.by, Read, f, false, "")
	case "read":
		if u.meanings["inplace"] {
			u.writes("write", f)
		}
		u.file(u.st, u.by, Read, f, u.meanings["tree"], "")
	case "readtree":
		u.file(u.st, u.by, Read, f, true, "")
	case "spec", "treespec":
		u.spec(Read, f, kind == "treespec")
	case "chdir":
		u.file(u.st, u.by, Read, literal(".", f.span), true, "works in this folder")
	case "upload": // a file, or a pattern of curl
		u.unknownIf(strings.ContainsAny(f.text, "{}[]"), "a pattern of files to send")
		u.file(u.st, u.by, Read, f, false, "")
	case "page": // a name, or a file
		if !f.known || strings.Contains(f.text, "/") {
			u.file(u.st, u.by, Read, f, false, "")
		}
	case "format": // @file, or a text that may name files
		u.unknownIf(!f.known || strings.Contains(f.text, "%output"), "a format that names files to write")
		u.reads("atread", f)
	case "atread": // @file
		if strings.HasPrefix(f.lead, "@") {
			f = f.cut(1)
		} else if f.lead != "" || f.known {
			return
		}
		u.file(u.st, u.by, Read, f, false, "")
	case "formread": // name=@file or name=<file
		name, content, _ := strings.Cut(f.lead, "=")
		u.unknownIf(strings.ContainsAny(content, `,;"\`) && strings.ContainsAny(content, "@<"), "a form that may send several files")
		if content == "" && !f.known || strings.HasPrefix(content, "@") || strings.HasPrefix(content, "<") {
			u.file(u.st, u.by, Read, f.cut(min(len(name)+2, len(f.lead))), false, "")
		}
	}
}

// writes records a word that names a file to write.
func (u *use) writes(kind string, f field) {
	if kind == "edit" || kind == "beside" || kind == "edittree" {
		u.file(u.st, u.by, Read, f, kind == "edittree" || kind == "beside" && u.meanings["tree"], "")
	}
	u.meanings["out"] = u.meanings["out"] || kind == "out"
	if u.meanings["dry"] {
		return
	}
	if u.row.has("existing") || f.glob && kind != "beside" && !u.meanings["tree"] {
		defer u.making(len(u.analyzer.effects), MakesNothing)
	}
	switch kind {
	case "dest":
		u.destination(f)
		u.parents(f)
	case "tree", "edittree", "out":
		u.file(u.st, u.by, Write, f, true, "")
	case "edit":
		u.file(u.st, u.by, Write, f, false, "")
	case "writespec":
		u.spec(Write, f, u.meanings["tree"])
	case "write", "numbered":
		u.file(u.st, u.by, Write, f, u.meanings["tree"], "")
		u.parents(f)
		u.unknownIf(kind == "numbered" && strings.Contains(f.text, "#"), "a name made from parts of the URL")
	case "beside":
		u.file(u.st, u.by, Write, f, u.meanings["tree"], "")
		folder, _ := path.Split(f.text)
		beside := field{text: quotePattern(folder) + "*", glob: f.known, span: f.span}
		u.file(u.st, u.by, Write, beside, false, "a file beside it")
	}
}

// spec records a word that the program reads as a file or as a pattern of files: of
// a pattern, all below the folder in which it begins. What begins with ":" may be
// anywhere in the work tree of git.
func (u *use) spec(kind Kind, f field, tree bool) {
	at := strings.IndexAny(f.text, `*?[\`)
	switch {
	case f.known && strings.HasPrefix(f.text, ":"):
		u.workTree(kind)
	case f.known && at >= 0:
		u.file(u.st, u.by, kind, literal(path.Dir(f.text[:at]+"x"), f.span), true, "a pattern that the program reads")
	default:
		u.file(u.st, u.by, kind, f, tree, "")
	}
}

// parents records the folders above a file that an option has made or removed.
// Those above the folder where the line starts are there.
func (u *use) parents(f field) {
	if !u.meanings["parents"] || !f.known {
		return
	}
	at := len(u.analyzer.effects)
	for above := path.Dir(f.text); above != "." && above != "/"; above = path.Dir(above) {
		if !path.IsAbs(above) || !strings.HasPrefix(path.Clean(u.env.Cwd)+"/", above+"/") {
			u.file(u.st, u.by, Write, literal(above, f.span), false, "a folder above it")
		}
	}
	for i := range u.analyzer.effects[at:] {
		u.analyzer.effects[at+i].Into = !u.row.has("existing")
	}
}

// backup records the copies that an option makes of what stood at a name.
func (u *use) backup(f field) {
	if u.meanings["backup"] {
		u.file(u.st, u.by, Read, f, false, "for a copy of what is there")
		u.file(u.st, u.by, Read, field{text: path.Dir(f.text), known: f.known, span: f.span}, false, "for names that are taken")
		u.file(u.st, u.by, Write, field{text: quotePattern(strings.TrimRight(f.text, "/")) + "*~", glob: f.known, span: f.span}, false, "a copy of what was there")
	}
}

// making says of the effects from at on what they make.
func (u *use) making(at int, m Making) {
	for i := range u.analyzer.effects[min(at, len(u.analyzer.effects)):] {
		if e := &u.analyzer.effects[at+i]; e.Makes == MakesAny {
			e.Makes = m
		}
	}
}

// destination is where files are copied or moved to: the name itself, and if
// it is a folder the same names in it.
func (u *use) destination(f field) {
	tree := u.meanings["tree"] || u.row.has("trees")
	at := len(u.analyzer.effects)
	defer u.making(at, MakesCopies)
	u.file(u.st, u.by, Write, f, tree, "")
	for i := range u.analyzer.effects[at:] {
		u.analyzer.effects[at+i].Into = !slices.ContainsFunc(u.given, replacesFolder)
	}
	u.backup(f)
	for _, source := range u.operands {
		if source.span == f.span && source.text == f.text {
			continue
		}
		if !source.known || !f.known || path.Base(source.text) == ".." {
			u.file(u.st, u.by, Write, f, true, "if it is a folder")
			continue
		}
		into := literal(strings.TrimRight(f.text, "/")+"/"+path.Base(source.text), f.span)
		u.file(u.st, u.by, Write, into, tree, "if it is a folder")
		u.backup(into)
	}
}

// replacesFolder says whether an option of cp, mv, ln and install takes the last
// word for the name itself, also where a folder or a link to one has it.
func replacesFolder(option string) bool {
	return slices.Contains([]string{"-T", "--no-target-directory", "-n", "--no-dereference"}, option)
}

// wrapped walks the command that a wrapper runs.
func (u *use) wrapped(args []field, kind string) {
	if kind == "joined" {
		u.runsWords(args)
		return
	}
	for len(args) > 0 && u.row.has("assigns") && strings.Contains(args[0].lead, "=") {
		name, _, _ := strings.Cut(args[0].lead, "=")
		u.variable(u.by, name, args[0].cut(len(name)+1), args[0].span, u.st)
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	if u.row.has("dash-c") && args[0].text == "-c" && len(args) > 1 {
		u.runsText(args[1], Sh)
		return
	}
	if u.row.has("appends") {
		args = u.fed(args)
	}
	u.under(args, u.st, u.by)
}

// fed returns the words of a command into which xargs puts what it reads: at
// the end, or wherever the text of -I stands.
func (u *use) fed(args []field) []field {
	args = slices.Clone(args)
	for _, v := range u.values {
		if v.kind != "replaces" {
			continue
		}
		for i, f := range args {
			if before, _, has := strings.Cut(f.text, v.text); !v.known {
				args[i] = field{text: f.text, span: f.span}
			} else if has {
				args[i] = field{text: f.text, lead: f.lead[:min(len(before), len(f.lead))], span: f.span}
			}
		}
		return args
	}
	return append(args, field{text: "(input)", many: true, span: args[0].span})
}

// withWords is a text that the program gives to a shell with words of its own
// behind it, which are not known.
func withWords(f field) field {
	f.text += ` "$@"`
	return f
}

// runsWords walks words that the program joins and gives to a shell.
func (u *use) runsWords(args []field) {
	if len(args) == 0 {
		return
	}
	text, known := join(args)
	u.runsText(field{text: text, known: known, span: spanOf(args)}, Sh)
}

// runsText walks a text that the program gives to a shell.
func (u *use) runsText(f field, dialect Dialect) {
	if !f.known {
		u.unknown(u.by, cmp.Or(f.span, u.span), "the text that is run is not known")
		return
	}
	u.inner(f.text, f.span, dialect, u.child(), u.by)
}

// child is the state in which a shell starts that a program runs. Variables of
// this shell may not be in its environment.
func (u *use) child() state {
	st := state{cwds: u.st.cwds, vars: map[string]string{}, funcs: map[string]*syntax.Stmt{}, input: u.st.input}
	if home, ok := u.value(u.st, "HOME"); ok {
		st.vars["HOME"] = home
	}
	return st
}

// runsInput is an interpreter that reads its program from standard input.
func (u *use) runsInput(language string) {
	in := u.st.input
	switch {
	case in.kind == fromFile:
		u.runsFile(u.st, u.by, in.word)
	case in.kind == fromText && language == "shell":
		u.runsText(in.word, Sh)
	case in.kind == fromText:
		u.opaque(u.by, in.word.span, "runs code of another language")
	default:
		u.unknown(u.by, u.span, "runs what it reads from standard input")
	}
}

// runsFile records that a file is read and what it says is run. What comes from
// a stream is no file that could be looked at before.
func (w *walker) runsFile(st state, by int, f field) {
	before := len(w.effects)
	w.file(st, by, Read, f, false, "what it says is run")
	if len(w.effects) == before || strings.HasPrefix(f.text, "/proc/") {
		w.unknown(by, f.span, "runs what it reads from a stream")
		return
	}
	for i := before; i < len(w.effects); i++ {
		w.effects[i].Runs = true
	}
	w.opaque(by, f.span, "runs a file")
}

// sshOption is "name=value" of ssh -o.
func (u *use) sshOption(f field) {
	name, _, _ := strings.Cut(strings.ReplaceAll(f.lead, " ", "="), "=")
	if s := findSetting("ssh:" + strings.ToLower(name)); s == nil || s.kind != "safe" {
		u.unknown(u.by, f.span, "a setting of ssh that may run programs or change the host")
	}
}

// gitConfig is "name=value" of git -c.
func (u *use) gitConfig(f field) {
	name, _, attached := strings.Cut(f.lead, "=")
	setting := findSetting("git:" + strings.ToLower(name))
	switch {
	case setting != nil && setting.kind == "safe":
	case setting != nil && setting.kind == "shell" && attached && f.known:
		u.runsText(f.cut(len(name)+1), Sh)
	default:
		u.unknown(u.by, f.span, "a setting of git that may run programs")
	}
}
