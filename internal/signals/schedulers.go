package signals

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Bounds of looking at scheduled jobs.
const (
	maxJobs     = 256
	maxJobBytes = 64 << 10
)

// Where jobs and services are written down.
var (
	jobFiles   = []string{"/etc/crontab"}
	jobFolders = []string{
		"/etc/cron.d", "/var/spool/cron", "/var/spool/cron/crontabs", "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
		"/Library/LaunchDaemons", "/Library/LaunchAgents",
	}
	homeFolders = []string{".config/systemd/user", "Library/LaunchAgents"}
)

// schedulers says which scheduled jobs and services name what is affected.
func schedulers(l *look) {
	j := jobs{look: l, known: l.paths(), all: true}
	for _, name := range jobFiles {
		if is, _ := l.exists(l.system(name)); is {
			j.some = true
			j.job(l.system(name), name)
		}
	}
	for _, dir := range jobFolders {
		j.folder(l.system(dir), dir)
	}
	for _, dir := range homeFolders {
		if h := l.subject.places.Home; h != "" {
			j.folder(path.Join(h, dir), "~/"+dir)
		}
	}
	if !j.some {
		l.unseen("no scheduler of a kind that is known here")
		return
	}
	l.names("jobs", j.names, j.known && j.all)
	l.count("candidates", j.seen, j.all)
}

type jobs struct {
	*look
	some, known bool
	all         bool // every job was read
	seen        int
	names       []string
}

func (j *jobs) folder(dir, shown string) {
	entries, complete, err := j.list(dir, maxJobs)
	if absent(err) {
		return
	}
	j.some = true
	if err != nil || !complete {
		j.all = j.miss(shown, firstError(err, errTooLarge))
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.Type().IsRegular():
			j.job(name, path.Join(shown, e.Name()))
		case e.Type()&fs.ModeSymlink != 0:
			j.link(name, path.Join(shown, e.Name()))
		}
	}
}

// link looks at a job that stands elsewhere, one link away. One that leads to
// /dev/null is switched off.
func (j *jobs) link(name, shown string) {
	to, err := j.readlink(name)
	if err != nil {
		j.all = j.miss(shown, err)
		return
	}
	switch {
	case to == "/dev/null":
		return
	case path.IsAbs(to):
		to = j.system(to)
	default:
		to = path.Join(path.Dir(name), to)
	}
	j.job(to, shown)
}

func (j *jobs) job(name, shown string) {
	if j.seen++; j.seen > maxJobs || j.over() {
		j.all = j.miss("jobs", firstError(j.ctx.Err(), errTooLarge))
		return
	}
	text, err := j.read(name, maxJobBytes)
	if absent(err) { // a link to what is gone
		return
	}
	if err != nil {
		j.all = j.miss(shown, err)
		return
	}
	if !j.about(text, path.Base(name)) && !j.about(text, path.Base(shown)) {
		return
	}
	owner := ""
	if info, err := j.lstat(name); err == nil {
		if id := identify(info); id.known {
			owner = fmt.Sprintf(" (user %d)", id.uid)
		}
	}
	j.names = append(j.names, shown+owner)
}

// about reports whether a job names an affected path, or is a service that the
// action names.
func (j *jobs) about(text, name string) bool {
	if slices.ContainsFunc(j.subject.changed, func(f string) bool { return strings.Contains(text, f) }) {
		return true
	}
	return slices.ContainsFunc(j.subject.commands, func(c command) bool {
		return c.is("systemctl", "service", "launchctl") && slices.ContainsFunc(c.plain()[1:], func(w string) bool {
			return name == w || strings.TrimSuffix(name, path.Ext(name)) == w
		})
	})
}
