package shelltrace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Call is one system call as strace wrote it.
type Call struct {
	PID   int
	Name  string
	Args  []string // as strace spells them: quoted strings, numbers, fd<path>, [lists]
	Value string   // what it returned, fd<path> included; "?" if it never did
	Errno string   // ENOENT, ...; "" if it did not fail
}

// parseTrace reads what `strace -f -y` has written to a file: the calls of all
// processes in the order in which they began. Lines that are no calls (signals,
// ends of processes) are checked and left out. A last line without an end was
// being written when strace was killed, and is left out, too.
func parseTrace(text string) ([]Call, error) {
	var calls []Call
	open := map[int]int{} // by process: the call that has not come back
	for number := 1; text != ""; number++ {
		line, rest, ended := strings.Cut(text, "\n")
		if text = rest; !ended {
			break
		}
		if err := readLine(line, &calls, open); err != nil {
			return nil, fmt.Errorf("line %d of a trace: %w: %.200s", number, err, line)
		}
	}
	for _, at := range open {
		calls[at].Value = "?"
	}
	return calls, nil
}

// unfinished and its counterpart "<... NAME resumed>" are how strace takes a call
// apart into two lines when another process comes between.
const unfinished = " <unfinished ...>"

func readLine(line string, calls *[]Call, open map[int]int) error {
	id, body, _ := strings.Cut(line, " ")
	pid, err := strconv.Atoi(id)
	if err != nil || pid <= 0 {
		return errors.New("no process at its beginning")
	}
	body = strings.TrimLeft(body, " ")
	switch {
	case strings.HasPrefix(body, "+++ ") && strings.HasSuffix(body, " +++"),
		strings.HasPrefix(body, "--- ") && strings.HasSuffix(body, " ---"),
		strings.HasPrefix(body, "???("), strings.HasPrefix(body, "<... ??? resumed>"): // ended before it came to its call
		return nil
	case strings.HasPrefix(body, "<... "):
		at, ok := open[pid]
		name, rest, resumed := strings.Cut(body[len("<... "):], " resumed>")
		if !ok || !resumed || (*calls)[at].Name != name {
			return errors.New("resumes a call that was not begun")
		}
		delete(open, pid)
		return (*calls)[at].read(strings.TrimPrefix(rest, " "))
	}
	c := Call{PID: pid}
	name, rest, ok := strings.Cut(body, "(")
	if !ok || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" || name == "" {
		return errors.New("is no call")
	}
	c.Name = name
	if _, busy := open[pid]; busy {
		return errors.New("begins a call within another")
	}
	if begun, cut := strings.CutSuffix(rest, unfinished); cut {
		open[pid] = len(*calls)
		rest = begun + ")"
	} else if begun, cut := strings.CutSuffix(rest, unfinished+") = ?"); cut {
		rest = begun + ") = ?"
	}
	err = c.read(rest)
	*calls = append(*calls, c)
	return err
}

// read reads arguments up to the closing bracket, and the result behind it. The
// second half of a call that was taken apart adds to the arguments of the first.
func (c *Call) read(text string) error {
	args, rest, err := readArgs(text)
	if err != nil {
		return err
	}
	if len(c.Args) > 0 && len(args) > 0 && args[0] == "" { // ", more" after a first half
		args = args[1:]
	}
	c.Args = append(c.Args, args...)
	if rest = strings.TrimLeft(rest, " "); rest == "" {
		return nil
	}
	rest, ok := strings.CutPrefix(rest, "= ")
	if !ok {
		return errors.New("has no result")
	}
	value, reason, _ := strings.Cut(rest, " ")
	if at := strings.IndexByte(rest, '<'); at >= 0 && at < len(value) { // fd<path>: the path may hold blanks
		end := strings.LastIndexByte(rest, '>')
		if end < at {
			return errors.New("has a result that does not end")
		}
		value, reason = rest[:end+1], ""
	}
	c.Value = value
	if value == "-1" {
		c.Errno, _, _ = strings.Cut(reason, " ")
	}
	return nil
}

// readArgs takes a list of arguments apart, to the bracket that closes it.
func readArgs(text string) (args []string, rest string, err error) {
	depth, start := 0, 0
	cut := func(end int) {
		if arg := strings.TrimSpace(text[start:end]); arg != "" || len(args) > 0 || text[end] == ',' {
			args = append(args, arg)
		}
		start = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n, err := quotedLength(text[i:])
			if err != nil {
				return nil, "", err
			}
			i += n - 1
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				cut(i)
			}
		case ')', ']', '}':
			if depth > 0 {
				depth--
			} else if text[i] == ')' {
				cut(i)
				return args, text[i+1:], nil
			} else {
				return nil, "", errors.New("closes a bracket that is not open")
			}
		case '<': // the path of a descriptor; strace writes < and > in it as \74 and \76
			if i > 0 && !strings.HasPrefix(text[i:], "<<") && (isDigit(text[i-1]) || strings.HasSuffix(text[:i], "AT_FDCWD")) {
				n := strings.IndexByte(text[i:], '>')
				if n < 0 {
					return nil, "", errors.New("has a descriptor whose path does not end")
				}
				i += n
			}
		}
	}
	return nil, "", errors.New("has arguments that do not end")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quotedLength returns how long the quoted string is with which text begins.
func quotedLength(text string) (int, error) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return 0, errors.New("has a string that does not end")
}

// unquote returns the bytes of a string that strace has written. It refuses one
// that strace has cut short ("..."...).
func unquote(arg string) (string, error) {
	if len(arg) < 2 || arg[0] != '"' || arg[len(arg)-1] != '"' {
		return "", fmt.Errorf("no whole string: %.80s", arg)
	}
	return unescape(arg[1 : len(arg)-1])
}

// unescape reads the escapes that strace writes: those of C, octal numbers of
// one to three digits among them.
func unescape(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return "", errors.New("an escape that does not end")
		}
		if at := strings.IndexByte("ntrvfba", text[i]); at >= 0 {
			b.WriteByte("\n\t\r\v\f\b\a"[at])
			continue
		}
		digits := 0
		for digits < 3 && i+digits < len(text) && text[i+digits] >= '0' && text[i+digits] <= '7' {
			digits++
		}
		if digits == 0 {
			if text[i] != '"' && text[i] != '\\' {
				return "", fmt.Errorf(`unknown escape \%c`, text[i])
			}
			b.WriteByte(text[i])
			continue
		}
		n, err := strconv.ParseUint(text[i:i+digits], 8, 8)
		if err != nil {
			return "", fmt.Errorf("an escape that is no byte: %s", text[i:i+digits])
		}
		b.WriteByte(byte(n))
		i += digits - 1
	}
	return b.String(), nil
}

// unquoteList returns the strings of a list.
func unquoteList(arg string) ([]string, error) {
	if !strings.HasPrefix(arg, "[") || !strings.HasSuffix(arg, "]") {
		return nil, fmt.Errorf("no list: %.80s", arg)
	}
	elems, _, err := readArgs(arg[1:len(arg)-1] + ")")
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, elem := range elems {
		text, err := unquote(elem)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// descriptorPath returns the path that strace writes behind a descriptor. It
// reports false where there is none: a pipe, a socket.
func descriptorPath(arg string) (string, bool) {
	_, rest, ok := strings.Cut(arg, "<")
	rest, closed := strings.CutSuffix(rest, ">")
	if !ok || !closed || !strings.HasPrefix(rest, "/") {
		return "", false
	}
	path, err := unescape(strings.TrimSuffix(rest, " (deleted)"))
	return path, err == nil
}
