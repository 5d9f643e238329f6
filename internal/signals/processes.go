package signals

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Bounds of looking at processes.
const (
	maxPids    = 4_096
	maxFds     = 1_024 // of one process
	maxMaps    = 256 << 10
	maxSockets = 1 << 20
	maxComm    = 15    // bytes that the system keeps of a command's name
	maxInodes  = 1_000 // affected files that locks are compared with
)

// process is one process as /proc shows it. Format: proc(5). Its environment and
// its arguments are not read: both may hold secrets.
type process struct {
	pid, parent int
	comm        string
	uid         uint64
	dir         string
	began       uint64 // in ticks since the system started; 0 is unknown
}

func (p process) String() string { return fmt.Sprintf("pid %d %s (user %d)", p.pid, p.comm, p.uid) }

// beganField is where /proc/PID/stat says when a process began, counted from the
// bracket that closes its name. The unit is a tick, of which Linux shows user space a
// hundred in a second.
const (
	beganField     = 20
	ticksPerSecond = 100
)

// started returns when the system was started, in seconds since 1970; 0 is unknown.
func (l *look) started() int64 {
	text, err := l.read(l.system("/proc/stat"), maxSockets)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(text) {
		if at, is := strings.CutPrefix(line, "btime "); is {
			seconds, _ := strconv.ParseInt(strings.TrimSpace(at), 10, 64)
			return seconds
		}
	}
	return 0
}

// processTable lists the processes. known is false where there is no /proc.
func (l *look) processTable() (all []process, known bool) {
	entries, complete, err := l.list(l.system("/proc"), 4*maxPids)
	if err != nil {
		return nil, l.miss("/proc", err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if len(all) == maxPids || l.over() {
			return all, l.miss("/proc", firstError(l.ctx.Err(), errTooLarge))
		}
		p := process{pid: pid, dir: path.Join(l.system("/proc"), e.Name())}
		if info, err := l.lstat(p.dir); err == nil {
			p.uid = identify(info).uid
		}
		text, err := l.read(path.Join(p.dir, "stat"), maxRaw)
		open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
		fields := strings.Fields(text[max(end, 0):])
		if err != nil || open < 0 || end < open || len(fields) < 3 {
			continue // it has ended
		}
		p.comm = text[open+1 : end]
		p.parent, _ = strconv.Atoi(fields[2])
		if len(fields) > beganField {
			p.began, _ = strconv.ParseUint(fields[beganField], 10, 64)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, l.miss("/proc", errNotRead)
	}
	return all, complete
}

// processes says which processes the action would end.
func processes(l *look) {
	all, known := l.processTable()
	var matches, parents, ports []string
	byPid := map[int]process{}
	for _, p := range all {
		byPid[p.pid] = p
	}
	listening, ok := l.listening()
	known = known && ok
	for _, p := range all {
		if !slices.ContainsFunc(l.subject.commands, func(c command) bool { return c.ends(p) }) {
			continue
		}
		matches = append(matches, p.String())
		if parent, is := byPid[p.parent]; is {
			parents = append(parents, parent.String())
		}
		fds, _, whole := l.fds(p)
		known = known && whole
		for _, to := range fds {
			if port := listening[to]; port != "" {
				ports = append(ports, port)
			}
		}
	}
	if endsProcesses(l.subject) && slices.ContainsFunc(l.subject.commands, command.endsOthers) {
		known = false
		l.unseen("what is ended is not chosen by process number or name alone")
	}
	l.names("matches", matches, known)
	l.names("parents", parents, known)
	l.names("listening", ports, known)
}

// ends reports whether a command certainly ends a process.
func (c command) ends(p process) bool {
	operands := c.plain()
	switch {
	case c.is("kill"):
		return slices.Contains(operands[1:], strconv.Itoa(p.pid))
	case c.is("pkill"):
		return slices.ContainsFunc(operands[1:], func(w string) bool { return strings.Contains(p.comm, w) })
	case c.is("killall"):
		return slices.Contains(operands[1:], p.comm)
	}
	return false
}

// endsOthers reports whether a command may end processes that ends does not know of.
func (c command) endsOthers() bool {
	switch {
	case c.loose && c.is(processCommands...):
		return true
	case c.is("kill"):
		return slices.ContainsFunc(c.plain()[1:], func(w string) bool { n, err := strconv.Atoi(w); return err != nil || n <= 0 }) ||
			len(c.plain()) < 2 || slices.ContainsFunc(c.words[min(2, len(c.words)):], func(w string) bool { return strings.HasPrefix(w, "-") }) // a group, or all
	case c.is("killall") && slices.ContainsFunc(c.plain()[1:], func(w string) bool { return len(w) > maxComm }):
		return true
	case c.is("pkill", "killall"):
		return slices.ContainsFunc(c.words[1:], func(w string) bool {
			return len(w) > 1 && w[0] == '-' && strings.Trim(w[1:], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZxq") != ""
		}) || slices.ContainsFunc(c.plain()[1:], func(w string) bool { return strings.ContainsAny(w, `^$.*+?[({|\`) })
	}
	return c.is(processCommands...)
}

// fds returns where the file descriptors of a process lead, whether it may be
// asked, and if so whether these are all.
func (l *look) fds(p process) (all []string, may, whole bool) {
	dir := path.Join(p.dir, "fd")
	entries, whole, err := l.list(dir, maxFds)
	if err != nil {
		return nil, false, true
	}
	if !whole {
		l.miss(dir, errTooLarge)
	}
	for _, e := range entries {
		if to, err := l.readlink(path.Join(dir, e.Name())); err == nil {
			all = append(all, to)
		}
	}
	return all, true, whole
}

// listening returns the ports of sockets that wait for connections, by the name
// that file descriptors have for them.
func (l *look) listening() (map[string]string, bool) {
	ports := map[string]string{}
	complete := true
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := l.read(l.system(table), maxSockets)
		if err != nil && !absent(err) {
			complete = l.miss(table, err)
		}
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != "0A" { // listening
				continue
			}
			_, port, _ := strings.Cut(fields[1], ":")
			if n, err := strconv.ParseUint(port, 16, 16); err == nil {
				ports["socket:["+fields[9]+"]"] = strconv.FormatUint(n, 10)
			}
		}
	}
	return ports, complete
}

// openFiles says who holds affected files.
func openFiles(l *look) {
	all, known := l.processTable()
	var holders []string
	var oldest uint64
	unreadable, dated := 0, true
	locks, whole := l.locks()
	for _, p := range all {
		if l.over() {
			known = l.miss("/proc", l.ctx.Err())
			break
		}
		may, holds, all := l.holds(p)
		whole = whole && all
		if !may {
			unreadable++
		}
		if holds || locks[p.pid] {
			dated = dated && p.began > 0
			if len(holders) == 0 || p.began < oldest {
				oldest = p.began
			}
			holders = append(holders, p.String())
		}
	}
	l.count("unreadable", unreadable, known)
	known = l.paths() && known && whole
	l.names("holders", holders, known)
	if start := l.started(); start > 0 && dated && len(holders) > 0 && !l.now.IsZero() {
		l.count("oldest_holder", max(0, int(l.now.Unix()-start-int64(oldest/ticksPerSecond))), known)
	}
}

// holds reports whether a process has an affected file open or mapped, or works in
// an affected folder, and whether all of a process that may be asked was looked at.
func (l *look) holds(p process) (may, holds, whole bool) {
	files, may, whole := l.fds(p)
	if to, err := l.readlink(path.Join(p.dir, "cwd")); err == nil {
		files = append(files, to)
	}
	text, err := l.read(path.Join(p.dir, "maps"), maxMaps)
	if errors.Is(err, errTooLarge) {
		whole = l.miss("maps", err)
	}
	for line := range strings.Lines(text) {
		if at := strings.IndexByte(line, '/'); at >= 0 {
			files = append(files, strings.TrimSpace(line[at:]))
		}
	}
	return may, slices.ContainsFunc(files, func(f string) bool {
		f = strings.TrimSuffix(f, " (deleted)")
		return slices.ContainsFunc(l.subject.changed, func(dir string) bool { return within(f, dir) })
	}), whole
}

// locks returns the processes that lock an affected file, and whether these are
// all. Format: proc_locks(5).
func (l *look) locks() (pids map[int]bool, whole bool) {
	text, err := l.read(l.system("/proc/locks"), maxSockets)
	if err != nil {
		return nil, absent(err) || l.miss("locks", err)
	}
	if text == "" {
		return nil, true
	}
	whole = len(l.subject.affected) <= maxInodes || l.miss("locks", errTooLarge)
	inodes := map[string]bool{}
	for _, f := range l.subject.affected[:min(len(l.subject.affected), maxInodes)] {
		if info, err := l.lstat(f); err == nil {
			inodes[strconv.FormatUint(identify(info).inode, 10)] = true
		}
	}
	pids = map[int]bool{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		id := fields[5][strings.LastIndexByte(fields[5], ':')+1:]
		if pid, err := strconv.Atoi(fields[4]); err == nil && inodes[id] {
			pids[pid] = true
		}
	}
	return pids, whole
}
