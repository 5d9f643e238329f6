package shelltrace

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// Event is one thing that a command did, or tried to: what was refused or not
// there counts, as on another machine it would have been.
type Event struct {
	Kind  shell.Kind // Execute, Read, Write or Network
	Path  string     // Execute, Read, Write: absolute; of a call that succeeded with links followed
	Words []string   // Execute
	Host  string     // Network: an address, "unix:" with a path, or "dns"
	List  bool       // Read: the names in a folder
	Link  bool       // Read: where a link leads, or an attribute that is no content
	Lost  bool       // the file is not there
	PID   int
	Runs  []int // indexes of the Execute events whose program did it: this one last, before it those that started it
}

func (e Event) String() string {
	switch e.Kind {
	case shell.Execute:
		return fmt.Sprintf("execute %q", e.Words)
	case shell.Network:
		return "network " + e.Host
	}
	return e.Kind.String() + " " + e.Path
}

// tracer turns calls into events.
type tracer struct {
	events []Event
	now    map[int]process
}

// process is what is known of a process at one moment.
type process struct {
	cwd  string
	runs []int
}

// missing are the errors of calls that would have done something, had the file
// been there or the right been given.
var missing = []string{"", "ENOENT", "EACCES", "EPERM", "EROFS"}

// events returns what calls did. The first process works in cwd; its first call
// is the start of the shell that reads the command, which is none of its doing.
func events(calls []Call, cwd string) ([]Event, error) {
	t := tracer{now: map[int]process{}}
	for i, c := range calls {
		p, known := t.now[c.PID]
		if !known {
			p = process{cwd: cwd}
			if i > 0 {
				return nil, fmt.Errorf("process %d has no beginning", c.PID)
			}
			if c.Name != "execve" {
				return nil, fmt.Errorf("begins with %s", c.Name)
			}
			t.now[c.PID] = p
			continue
		}
		if err := t.call(c, &p); err != nil {
			return nil, fmt.Errorf("call %s of process %d: %w", c.Name, c.PID, err)
		}
		t.now[c.PID] = p
	}
	return t.events, nil
}

func (t *tracer) call(c Call, p *process) error {
	name := strings.TrimSuffix(c.Name, "64")
	switch name {
	case "fork", "vfork", "clone", "clone3":
		if child, err := strconv.Atoi(c.Value); err == nil && child > 0 {
			t.now[child] = process{p.cwd, slices.Clone(p.runs)}
		}
		return nil
	}
	if slices.Contains(talking, name) {
		t.network(c, p) // whether or not it is there
		return nil
	}
	if len(c.Args) == 0 || !slices.Contains(missing, c.Errno) {
		return nil
	}
	switch name {
	case "execve", "execveat":
		return t.execute(c, p)
	case "chdir":
		file, err := p.file("", c.Args[0])
		if c.Errno == "" {
			p.cwd = file
		}
		return err
	case "fchdir":
		if dir, ok := descriptorPath(c.Args[0]); ok && c.Errno == "" {
			p.cwd = dir
		}
		return nil
	case "open", "openat", "openat2", "creat":
		return t.open(c, p)
	case "getdents":
		if dir, ok := descriptorPath(c.Args[0]); ok {
			t.add(c, p, Event{Kind: shell.Read, Path: dir, List: true})
		}
		return nil
	}
	if at, ok := reading[name]; ok {
		file, err := c.file(p, at)
		if c.Errno == "" {
			t.add(c, p, Event{Kind: shell.Read, Path: file, Link: true})
		}
		return err
	}
	return t.change(c, name, p)
}

// talking are calls that name a host or a socket.
var talking = []string{"connect", "bind", "sendto", "sendmsg", "sendmmsg"}

// reading are calls that read what is no content of a file, by the index of
// their argument with the path; one that is below zero means a descriptor before
// the path.
var reading = map[string]int{"readlink": 0, "readlinkat": -1, "getxattr": 0, "lgetxattr": 0}

// changing are calls that change a file, likewise.
var changing = map[string]int{
	"mkdir": 0, "mkdirat": -1, "rmdir": 0, "unlink": 0, "unlinkat": -1, "mknod": 0, "mknodat": -1,
	"chmod": 0, "fchmodat": -1, "fchmodat2": -1, "chown": 0, "lchown": 0, "fchownat": -1,
	"truncate": 0, "utime": 0, "utimes": 0, "utimensat": -1, "futimesat": -1,
	"setxattr": 0, "lsetxattr": 0, "removexattr": 0, "lremovexattr": 0, "mount": 1, "umount2": 0, "pivot_root": 0, "chroot": 0, "swapon": 0, "swapoff": 0,
	"fchmod": fd, "fchown": fd, "ftruncate": fd, "fallocate": fd, "fsetxattr": fd, "fremovexattr": fd,
}

// fd says that the first argument is a descriptor and that there is no path.
const fd = 100

func (t *tracer) change(c Call, name string, p *process) error {
	two := map[string][2]int{
		"rename": {0, 1}, "renameat": {-1, -2}, "renameat2": {-1, -2},
		"link": {0, 1}, "linkat": {-1, -2}, "symlink": {fd, 1}, "symlinkat": {fd, -3},
	}
	if ends, ok := two[name]; ok {
		return t.pair(c, name, ends, p)
	}
	at, ok := changing[name]
	if !ok {
		return fmt.Errorf("is not expected")
	}
	if at == fd || c.arg(max(at, -at)) == "NULL" {
		if file, ok := descriptorPath(c.Args[0]); ok {
			t.add(c, p, Event{Kind: shell.Write, Path: file})
		}
		return nil
	}
	file, err := c.file(p, at)
	t.add(c, p, Event{Kind: shell.Write, Path: file})
	return err
}

// pair is a call with two names: the second is made.
func (t *tracer) pair(c Call, name string, ends [2]int, p *process) error {
	to, err := c.file(p, ends[1])
	if err != nil {
		return err
	}
	if ends[0] != fd {
		from, err := c.file(p, ends[0])
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "rename") {
			t.add(c, p, Event{Kind: shell.Write, Path: from})
		}
	}
	t.add(c, p, Event{Kind: shell.Write, Path: to})
	return nil
}

// file returns the file of the argument at an index; below zero, -n, the
// argument n with the folder before it. -3 is symlinkat's: its folder is the
// second argument.
func (c Call) file(p *process, at int) (string, error) {
	dir, arg := "", at
	switch at {
	case -1:
		dir, arg = c.Args[0], 1
	case -2:
		dir, arg = c.arg(2), 3
	case -3:
		dir, arg = c.arg(1), 2
	}
	return p.file(dir, c.arg(arg))
}

// arg returns an argument; "" if there are fewer.
func (c Call) arg(i int) string {
	if i >= len(c.Args) {
		return ""
	}
	return c.Args[i]
}

// file returns the absolute path that an argument names.
func (p *process) file(dir, arg string) (string, error) {
	text, err := unquote(arg)
	if err != nil {
		return "", err
	}
	base := p.cwd
	if at, ok := descriptorPath(dir); ok {
		base = at
	}
	if !path.IsAbs(text) {
		text = base + "/" + text
	}
	return path.Clean(text), nil
}

func (t *tracer) add(c Call, p *process, e Event) {
	if own := fmt.Sprintf("/proc/%d/", c.PID); strings.HasPrefix(e.Path, own) {
		e.Path = "/proc/self/" + e.Path[len(own):]
	}
	e.PID, e.Runs, e.Lost = c.PID, slices.Clone(p.runs), c.Errno == "ENOENT"
	t.events = append(t.events, e)
}

func (t *tracer) execute(c Call, p *process) error {
	at := 0
	if c.Name == "execveat" {
		at = -1
	}
	file, err := c.file(p, at)
	if err != nil {
		return err
	}
	words, err := unquoteList(c.arg(max(at, -at) + 1))
	if err != nil {
		return err
	}
	t.add(c, p, Event{Kind: shell.Execute, Path: file, Words: words})
	if c.Errno == "" {
		p.runs = append(slices.Clone(p.runs), len(t.events)-1)
	}
	return nil
}

func (t *tracer) open(c Call, p *process) error {
	at, flags := -1, 2
	switch c.Name {
	case "open":
		at, flags = 0, 1
	case "creat":
		at = 0
	}
	file, err := c.file(p, at)
	if err != nil {
		return err
	}
	how := "O_WRONLY|O_CREAT"
	if c.Name != "creat" && flags < len(c.Args) {
		how = c.Args[flags]
	}
	if real, ok := descriptorPath(c.Value); ok {
		file = real
	} else if c.Errno == "" && strings.Contains(c.Value, "<") {
		return nil // a pipe or a socket behind /dev/fd
	}
	if strings.Contains(how, "O_TMPFILE") {
		return nil // it has no name; linkat gives it one
	}
	if strings.Contains(how, "O_PATH") || strings.Contains(how, "O_DIRECTORY") {
		return nil // nothing is read by that; getdents lists a folder
	}
	fresh := strings.Contains(how, "O_TRUNC") || strings.Contains(how, "O_EXCL")
	if strings.Contains(how, "O_RDONLY") || strings.Contains(how, "O_RDWR") && !fresh {
		t.add(c, p, Event{Kind: shell.Read, Path: file})
	}
	if strings.Contains(how, "O_WRONLY") || strings.Contains(how, "O_RDWR") || strings.Contains(how, "O_CREAT") || strings.Contains(how, "O_TRUNC") {
		t.add(c, p, Event{Kind: shell.Write, Path: file})
	}
	return nil
}

var (
	inetAddress = regexp.MustCompile(`sa_family=AF_INET6?\b.*?(?:sin6?_port=htons\((\d+)\)).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"`)
	unixAddress = regexp.MustCompile(`sa_family=AF_UNIX, sun_path=@?("(?:[^"\\]|\\.)*")`)
)

// network adds the hosts and sockets that a call names. Sockets of the kernel
// (netlink) lead nowhere.
func (t *tracer) network(c Call, p *process) {
	text := strings.Join(c.Args, ", ")
	hosts := map[string]bool{}
	for _, m := range inetAddress.FindAllStringSubmatch(text, -1) {
		if m[1] == "53" {
			hosts["dns"] = true
		} else {
			hosts[m[2]] = true
		}
	}
	for _, m := range unixAddress.FindAllStringSubmatch(text, -1) {
		if name, err := p.file("", m[1]); err == nil {
			hosts["unix:"+name] = true
		}
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		t.add(c, p, Event{Kind: shell.Network, Host: host})
	}
}
