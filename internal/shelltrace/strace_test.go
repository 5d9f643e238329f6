package shelltrace

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/shell"
)

// traces are pieces of what strace 6.1 writes, with the events in them.
var traces = []struct{ name, text, want string }{
	{"a file is read", `7 execve("/usr/bin/bash", ["bash", "-c", "cat a"], ["HOME=/h"]) = 0
7 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>`, "read /w/a"},
	{"a link is followed", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 openat(AT_FDCWD</w>, "l", O_RDONLY) = 3</w/real>`, "read /w/real"},
	{"what is not there counts", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 openat(AT_FDCWD</w>, "a", O_RDONLY) = -1 ENOENT (No such file or directory)`, "read /w/a"},
	{"what exists is not made", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 mkdir("d", 0777) = -1 EEXIST (File exists)`, ""},
	{"a file is written", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 openat(AT_FDCWD</w>, "a b", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/a b>`, "write /w/a b"},
	{"a program is run by a child, in the folder of its parent", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 chdir("sub") = 0
7 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
8 unlink("x" <unfinished ...>
7 <... clone resumed>, child_tidptr=0x7f) = 8
8 <... unlink resumed>) = 0
8 execve("/usr/bin/rm", ["rm", "-f", "q\"\n"], ["A=1"]) = 0
8 +++ exited with 0 +++
7 --- SIGCHLD {si_signo=SIGCHLD} ---`, `write /w/sub/x; execute ["rm" "-f" "q\"\n"]`},
	{"files are renamed and linked", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 renameat2(AT_FDCWD</w>, "a", AT_FDCWD</w>, "b", RENAME_NOREPLACE) = 0
7 symlinkat("t", AT_FDCWD</w>, "l") = 0
7 fchmod(3</w/c>, 0644) = 0`, "write /w/a; write /w/b; write /w/l; write /w/c"},
	{"hosts", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}, 16) = -1 ENOENT (x)
7 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.1")}, 16) = 0
7 connect(3<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0
7 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/s"}, 110) = 0`, "network 10.0.0.1; network dns; network ::1; network unix:/run/s"},
	{"a process looks at itself, and a file has no name", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 openat(AT_FDCWD</w>, "/proc/self/maps", O_RDONLY) = 3</proc/7/maps>
7 openat(AT_FDCWD</w>, "/proc/8/maps", O_RDONLY) = 3</proc/8/maps>
7 openat(AT_FDCWD</w>, "/tmp", O_RDWR|O_TMPFILE, 0600) = 3</tmp/#7 (deleted)>`, "read /proc/self/maps; read /proc/8/maps"},
	{"octal escapes, and a line that was cut", "7 execve(\"/usr/bin/bash\", [\"bash\"], []) = 0\n7 openat(AT_FDCWD</w/\\303\\244>, \"\\303\\274\", O_RDONLY) = 3</w/\\303\\244/\\303\\274>\n7 openat(AT_F", "read /w/ä/ü"},
	{"killed in a call", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 openat(AT_FDCWD</w>, "a", O_RDONLY <unfinished ...>) = ?
7 +++ killed by SIGKILL +++`, "read /w/a"},
	{"killed before a call", `7 execve("/usr/bin/bash", ["bash"], []) = 0
7 ???( <unfinished ...>
7 <... ??? resumed>) = ?
7 +++ killed by SIGKILL +++`, ""},
}

func TestEvents(t *testing.T) {
	for _, test := range traces {
		text := test.text
		if !strings.HasSuffix(text, "AT_F") {
			text += "\n"
		}
		calls, err := parseTrace(text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		done, err := events(calls, "/w")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, e := range done {
			got = append(got, e.String())
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, strings.Join(got, "; "), test.want)
		}
	}
}

// TestTraceRefused: what strace does not write is an error, and never an empty
// list of calls.
func TestTraceRefused(t *testing.T) {
	for _, line := range []string{
		"", "x", "7", "7 ", "-1 open() = 0", `7 open("a"`, `7 open("a", 0`, `7 open("a)`, "7 <... open resumed>) = 0", `7 open("a") 3`,
		`7 open(]) = 3`, `7 open(3</a) = 3`, `7 Open("a") = 3`, "7 +++ exited",
	} {
		if calls, err := parseTrace(line + "\n"); err == nil {
			t.Errorf("%q is taken for %d calls", line, len(calls))
		}
	}
	for _, text := range []string{`7 open("a"...) = 3`, `7 execve("/b", ["b", ...], []) = 0`, `7 fchmodat(3</w>) = 0`, `7 execve("/b") = 0`, `7 renameat(3</w>) = 0`, `7 openat(3</w>) = 0`, `7 shutdown(3) = 0`} {
		calls, err := parseTrace("7 execve(\"/b\", [\"b\"], []) = 0\n" + text + "\n")
		if err == nil {
			_, err = events(calls, "/w")
		}
		if err == nil {
			t.Errorf("%s: something is left out or not expected, and it is not noticed", text)
		}
	}
}

// FuzzTrace: parsing never panics; a whole line that is taken is either no call
// or is one with a name and a result; and joining the lines of another process
// changes nothing of the first.
func FuzzTrace(f *testing.F) {
	for _, test := range traces {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, err := parseTrace(text)
		if err != nil {
			return
		}
		for _, c := range calls {
			if c.PID <= 0 || c.Name == "" {
				t.Errorf("a call without process or name: %+v", c)
			}
		}
		if _, err := events(calls, "/w"); err != nil || !strings.HasSuffix(text, "\n") {
			return
		}
		more, err := parseTrace(text + "999999999 chdir(\"x\") = 0\n")
		if err == nil && !slices.EqualFunc(more[:len(calls)], calls, func(a, b Call) bool { return a.Name == b.Name && slices.Equal(a.Args, b.Args) }) {
			t.Errorf("a line at the end changes what stands before it")
		}
	})
}

func TestWordsFit(t *testing.T) {
	known, unknown := func(s string) shell.Word { return shell.Word{Text: s, Known: true} }, shell.Word{Text: "$X"}
	for _, test := range []struct {
		want  []shell.Word
		words []string
		fits  bool
	}{
		{[]shell.Word{known("a")}, []string{"a"}, true},
		{[]shell.Word{known("a")}, []string{"b"}, false},
		{[]shell.Word{known("a")}, []string{"a", "b"}, false},
		{[]shell.Word{unknown, known("z")}, []string{"z"}, true},
		{[]shell.Word{unknown, known("z")}, []string{"x", "y", "z"}, true},
		{[]shell.Word{unknown, known("z")}, []string{"x"}, false},
		{nil, nil, true},
	} {
		if got := fits(test.want, test.words); got != test.fits {
			t.Errorf("%v and %q: %v", test.want, test.words, got)
		}
	}
}
