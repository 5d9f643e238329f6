package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtins are the commands of the shell itself that change what is known of
// it. Those that change nothing have a row in the table like programs.
var builtins map[string]func(w *walker, args []field, st state, by int) (ok, fail state)

func init() { // the functions refer to the map
	builtins = map[string]func(w *walker, args []field, st state, by int) (ok, fail state){
		"cd": changeDir, "pushd": changeDir, "popd": loseDir,
		"eval": eval, "source": sourceFile, ".": sourceFile,
		"exec": execute, "command": commandBuiltin, "builtin": commandBuiltin,
		"set": setOptions, "shopt": shellOptions, "shift": loseArguments, "trap": trap, "alias": alias,
		"unset": names, "read": names, "mapfile": names, "readarray": names, "getopts": names,
		"printf": printfBuiltin, "let": evaluates,
		"break": jump, "continue": jump, "return": jump,
		"hash": strictBuiltin, "enable": strictBuiltin, "unalias": strictBuiltin, "bind": strictBuiltin,
		"complete": strictBuiltin, "compgen": strictBuiltin, "compopt": strictBuiltin, "fc": strictBuiltin, "history": strictBuiltin,
		"caller": strictBuiltin, "logout": strictBuiltin, "suspend": strictBuiltin, "export": strictBuiltin, "declare": strictBuiltin,
		"typeset": strictBuiltin, "local": strictBuiltin, "readonly": strictBuiltin,
	}
}

// changeDir is cd and pushd. A folder that is not there leaves the shell where
// it is, so both outcomes matter.
func changeDir(w *walker, args []field, st state, by int) (ok, fail state) {
	name, rest := args[0].text, args[1:]
	for len(rest) > 0 && rest[0].known && (rest[0].text == "-L" || rest[0].text == "--") {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 && name == "cd":
		home, known := w.value(st, "HOME")
		rest = []field{{text: home, known: known}}
	case len(rest) != 1:
		return loseDir(w, args, st, by)
	}
	target := rest[0]
	if !target.known || target.text == "" || strings.HasPrefix(target.text, "-") || strings.HasPrefix(target.text, "+") || len(st.cwds) == 0 && !strings.HasPrefix(target.text, "/") {
		return loseDir(w, args, st, by)
	}
	var cwds []string
	if strings.HasPrefix(target.text, "/") {
		cwds = []string{path.Clean(target.text)}
	} else {
		for _, cwd := range st.cwds {
			cwds = append(cwds, path.Join(cwd, target.text))
		}
	}
	st2 := w.set(st, "OLDPWD", field{})
	return st2.in(cwds), st
}

// loseDir is any change of folder that is not followed.
func loseDir(w *walker, _ []field, st state, _ int) (ok, fail state) {
	st = w.set(st, "OLDPWD", field{})
	return st.in(nil), st.in(nil)
}

// eval runs its words, joined, in this shell.
func eval(w *walker, args []field, st state, by int) (ok, fail state) {
	text, known := join(args[1:])
	if !known {
		w.unknown(by, spanOf(args), "the text that is run is not known")
		return st.forget(), st.forget()
	}
	return w.inner(text, spanOf(args), w.src.dialect, st, by)
}

// join returns the words as one text, as eval, ssh and watch do.
func join(args []field) (string, bool) {
	var texts []string
	for _, f := range args {
		if !f.known {
			return "", false
		}
		texts = append(texts, f.text)
	}
	return strings.Join(texts, " "), true
}

// sourceFile runs a file in this shell.
func sourceFile(w *walker, args []field, st state, by int) (ok, fail state) {
	if len(args) > 1 {
		w.runsFile(st, by, args[1])
	}
	return st.forget(), st.forget()
}

// execute is exec: a program in place of the shell, or redirections for good.
func execute(w *walker, args []field, st state, by int) (ok, fail state) {
	rest := args[1:]
	for len(rest) > 0 && rest[0].known && strings.HasPrefix(rest[0].text, "-") {
		if strings.HasSuffix(rest[0].text, "a") && len(rest) > 1 { // -a takes a name, also in a bundle
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	st.input = input{}
	w.under(rest, st, by)
	return st, st
}

// commandBuiltin is command and builtin: no functions, no aliases.
func commandBuiltin(w *walker, args []field, st state, by int) (ok, fail state) {
	rest := args[1:]
	for len(rest) > 0 && rest[0].known && strings.HasPrefix(rest[0].text, "-") {
		if strings.ContainsAny(rest[0].text, "vV") {
			return st, st // says what a name is
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return st, st
	}
	child := w.command(Command{Words: words(rest), Span: spanOf(rest), Parent: by})
	if !w.enter() {
		return st, st
	}
	defer w.leave()
	funcs := st.funcs
	st.funcs = map[string]*syntax.Stmt{}
	ok, fail = w.run(rest, st, child)
	ok.funcs, fail.funcs = funcs, funcs
	return ok, fail
}

// setOptions is set. Options that change how words are read are not followed.
func setOptions(w *walker, args []field, st state, by int) (ok, fail state) {
	for _, f := range args[1:] {
		if !f.known {
			w.unknown(by, f.span, "which option of the shell is set is not known")
			continue
		}
		switch {
		case f.text == "--":
			return loseArguments(w, args, st, by)
		case strings.Trim(f.text, "-+euxvCo") == "", f.text == "pipefail", f.text == "errexit", f.text == "nounset", f.text == "xtrace", f.text == "noclobber":
		default:
			w.unknown(by, f.span, "an option that changes how the shell reads the rest")
		}
	}
	return st, st
}

// shellOptions is shopt, of which a few options change nothing that is relied
// on here.
func shellOptions(w *walker, args []field, st state, by int) (ok, fail state) {
	for _, f := range args[1:] {
		switch f.text {
		case "-s", "-u", "-q", "-p", "nullglob", "failglob", "dotglob", "globstar", "checkwinsize", "inherit_errexit":
		default:
			w.unknown(by, f.span, "an option that changes how the shell reads the rest")
		}
	}
	return st, st
}

// loseArguments forgets $1, $2 and so on.
func loseArguments(w *walker, _ []field, st state, _ int) (ok, fail state) {
	for i := range 9 {
		st = w.set(st, string(rune('1'+i)), field{})
	}
	return st, st
}

// trap runs its text some time later, when all may have changed.
func trap(w *walker, args []field, st state, by int) (ok, fail state) {
	rest := args[1:]
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].known && (rest[0].text == "-" || rest[0].text == "-p" || rest[0].text == "-l") {
		return st, st
	}
	if !rest[0].known {
		w.unknown(by, rest[0].span, "the text that is run is not known")
		return st, st
	}
	w.inner(rest[0].text, rest[0].span, w.src.dialect, st.forget(), by)
	if rest[0].text == "" || !slices.ContainsFunc(rest[1:], func(f field) bool { return !f.known || f.text != "EXIT" && f.text != "0" }) {
		return st, st // nothing, or at the end
	}
	return st.forget(), st.forget()
}

// alias changes what later words mean, before they are parsed.
func alias(w *walker, args []field, st state, by int) (ok, fail state) {
	for _, f := range args[1:] {
		if !f.known || strings.Contains(f.text, "=") {
			w.unknown(by, f.span, "an alias changes what later words mean")
		}
	}
	return st, st
}

// names is read, unset and their like: words that are no options name
// variables or functions that change.
func names(w *walker, args []field, st state, by int) (ok, fail state) {
	funcs := st.forget().funcs
	for _, name := range []string{"REPLY", "OPTARG", "OPTIND"} {
		st = w.set(st, name, field{})
	}
	for _, f := range args[1:] {
		switch {
		case f.known && syntax.ValidName(f.text):
			w.variable(by, f.text, field{}, f.span, st)
			st = w.set(st, f.text, field{})
			if _, ok := st.funcs[f.text]; ok {
				st.funcs = funcs
			}
		case !f.known || strings.Contains(f.text, "["):
			w.unknown(by, f.span, "which variable changes is not known")
		case args[0].text != "read" && strings.HasPrefix(f.text, "-") && strings.Contains(f.text, "C"):
			w.unknown(by, f.span, "runs a text for the lines read")
		}
	}
	return st, st
}

// printfBuiltin writes into a variable with -v.
func printfBuiltin(w *walker, args []field, st state, by int) (ok, fail state) {
	if len(args) > 1 && !args[1].known && args[1].mayBeOption() {
		w.unknown(by, args[1].span, "this may be the option -v, which sets a variable")
	}
	if len(args) > 2 && strings.HasPrefix(args[1].lead, "-v") {
		name := args[2]
		if args[1].text != "-v" {
			name = args[1].cut(len("-v"))
		}
		return names(w, []field{args[0], name}, st, by)
	}
	return st, st
}

// evaluates is what bash evaluates as arithmetic.
func evaluates(w *walker, args []field, st state, by int) (ok, fail state) {
	w.unknown(by, spanOf(args), "arithmetic that bash evaluates")
	return st.forget(), st.forget()
}

// jump is break, continue and return: what follows may be left out.
func jump(w *walker, _ []field, st state, _ int) (ok, fail state) {
	w.escape(st)
	return st, st
}

// strictBuiltin is a command of the shell that is not followed, because it is
// made for people or changes where programs are found. Without words most of
// them only list.
func strictBuiltin(w *walker, args []field, st state, by int) (ok, fail state) {
	if len(args) > 1 {
		w.unknown(by, spanOf(args), args[0].text+" changes how later words are read")
		return st.forget(), st.forget()
	}
	return st, st
}
