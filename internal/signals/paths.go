package signals

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Bounds of looking at paths.
const (
	maxLstat  = 4_096
	maxWalked = 20_000
	maxDepth  = 32
	maxLinks  = 40 // links followed in one path, as Linux does
)

// keeping matches folders that keep what would otherwise be lost.
var keeping = regexp.MustCompile(`(?i)^(\.git|\.hg|\.svn|\.bzr|\.jj|cvs|backups?|.*\.bak|\.snapshots?|snapshots?|\.trash.*|time ?machine.*)$`)

// pathBounds says whether affected paths lie where they seem to.
func pathBounds(l *look) {
	b := bounds{look: l, left: maxLstat, home: l.subject.home(), known: l.paths()}
	b.device, _ = b.deviceOf(b.home)
	for _, f := range l.subject.changed {
		b.path(f)
	}
	known := b.known && b.home != ""
	if b.home == "" {
		l.unseen("neither workspace nor working directory is known")
	}
	l.names("outside_workspace", l.subject.showAll(b.outside), known)
	l.count("symlink_escape", b.escapes, known)
	l.count("mount", b.mounts, known && b.device.known)
	l.count("nested_repository", b.nested, known)
	l.names("backup_or_vcs", l.subject.showAll(b.keeping), b.known)
}

// bounds looks at the folders above affected paths.
type bounds struct {
	*look
	left   int
	home   string
	device identity
	known  bool

	outside, keeping        []string
	escapes, mounts, nested int
}

func (b *bounds) lstatOnce(name string) (fs.FileInfo, error) {
	if b.left--; b.left < 0 || b.over() {
		return nil, errTooLarge
	}
	return b.lstat(name)
}

func (b *bounds) deviceOf(name string) (identity, error) {
	info, err := b.lstatOnce(name)
	if err != nil {
		return identity{}, err
	}
	return identify(info), nil
}

func (b *bounds) path(file string) {
	real, err := b.follow(file, maxLinks)
	if err != nil {
		b.known = b.miss(file, err)
		return
	}
	inside := within(real, b.home)
	if !inside {
		b.outside = append(b.outside, file)
	}
	if !inside && within(file, b.home) {
		b.escapes++
	}
	if slices.ContainsFunc(strings.Split(real, "/"), keeping.MatchString) {
		b.keeping = append(b.keeping, file)
	}
	if d, err := b.deviceOf(b.existing(real)); err == nil && d.known && b.device.known && d.device != b.device.device {
		b.mounts++
	}
	if b.otherRepository(real) {
		b.nested++
	}
}

// existing returns the nearest name, at or above file, that is there.
func (b *bounds) existing(file string) string {
	for file != "/" {
		if _, err := b.lstatOnce(file); !absent(err) {
			break
		}
		file = path.Dir(file)
	}
	return file
}

// otherRepository reports whether a path holds a repository, or lies in one within
// the workspace.
func (b *bounds) otherRepository(file string) bool {
	if file == b.home {
		return false
	}
	if path.Base(file) == ".git" {
		file = path.Dir(path.Dir(file))
	}
	for dir := file; within(dir, b.home) && dir != b.home && dir != "/"; dir = path.Dir(dir) {
		if _, err := b.lstatOnce(path.Join(dir, ".git")); err == nil {
			return true
		}
	}
	return false
}

// follow returns where a path leads, links of folders and its own followed.
func (b *bounds) follow(file string, links int) (string, error) {
	real := "/"
	parts := strings.Split(strings.Trim(file, "/"), "/")
	for i, part := range parts {
		next := path.Join(real, part)
		info, err := b.lstatOnce(next)
		if absent(err) {
			return path.Join(append([]string{next}, parts[i+1:]...)...), nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real = next
			continue
		}
		if links--; links < 0 {
			return "", errTooLarge
		}
		to, err := b.readlink(next)
		if err != nil {
			return "", err
		}
		return b.follow(path.Join(append([]string{absolute(real, to)}, parts[i+1:]...)...), links)
	}
	return real, nil
}

// pathFacts says what the affected files are.
func pathFacts(l *look) {
	f := filesSeen{look: l, left: maxWalked, known: l.paths()}
	for _, name := range l.subject.changed {
		f.walk(name, 0)
	}
	l.count("files", f.files, f.known)
	l.count("size_bytes", int(f.bytes), f.known)
	l.count("foreign", f.foreign, f.known && l.knowsUID)
	if start := l.session.Start; !start.IsZero() {
		l.count("created_before_session", f.before, f.known)
	}
	if f.files > 0 && !l.now.IsZero() {
		l.count("newest_change", int(max(0, l.now.Sub(f.newest)/time.Second)), f.known)
	}
	l.names("classes", f.classes, f.known)
}

// filesSeen sums up files.
type filesSeen struct {
	*look
	left  int
	known bool

	files, foreign, before int
	bytes                  int64
	newest                 time.Time
	classes                []string
}

func (f *filesSeen) walk(name string, depth int) {
	if f.left--; f.left < 0 || depth > maxDepth || f.over() {
		f.known = f.miss("affected files", firstError(f.ctx.Err(), errTooLarge))
		return
	}
	info, err := f.lstat(name)
	if absent(err) {
		return
	}
	if err != nil {
		f.known = f.miss(name, err)
		return
	}
	if !info.IsDir() {
		f.file(name, info)
		return
	}
	entries, complete, err := f.list(name, max(f.left, 0))
	if err != nil || !complete {
		f.known = f.miss(name, firstError(err, errTooLarge))
	}
	for _, e := range entries {
		f.walk(path.Join(name, e.Name()), depth+1)
	}
}

func (f *filesSeen) file(name string, info fs.FileInfo) {
	f.files++
	f.bytes += info.Size()
	if id := identify(info); id.known && id.uid != f.uid {
		f.foreign++
	}
	if info.ModTime().Before(f.session.Start) {
		f.before++
	}
	if info.ModTime().After(f.newest) {
		f.newest = info.ModTime()
	}
	if c := classOf(name); !slices.Contains(f.classes, c) {
		f.classes = append(f.classes, c)
	}
}

// fileClasses are the classes of files by the last part of their names.
var fileClasses = map[string]string{
	".go": "source", ".py": "source", ".js": "source", ".ts": "source", ".tsx": "source", ".jsx": "source", ".rs": "source", ".c": "source",
	".h": "source", ".cc": "source", ".cpp": "source", ".java": "source", ".kt": "source", ".rb": "source", ".php": "source", ".sh": "source",
	".sql": "source", ".cs": "source", ".swift": "source",
	".md": "text", ".txt": "text", ".rst": "text", ".pdf": "text", ".docx": "text", ".tex": "text",
	".json": "settings", ".yaml": "settings", ".yml": "settings", ".toml": "settings", ".ini": "settings", ".conf": "settings", ".cfg": "settings",
	".csv": "data", ".parquet": "data", ".xlsx": "data", ".ipynb": "data", ".npy": "data", ".h5": "data", ".pkl": "data", ".pt": "data", ".safetensors": "data",
	".db": "database", ".sqlite": "database", ".sqlite3": "database", ".mdb": "database", ".dump": "database",
	".log": "log", ".out": "log",
	".zip": "archive", ".tar": "archive", ".gz": "archive", ".tgz": "archive", ".xz": "archive", ".zst": "archive", ".7z": "archive", ".bak": "archive",
	".pem": "credential", ".key": "credential", ".env": "credential", ".p12": "credential", ".pfx": "credential", ".kdbx": "credential",
	".o": "build", ".a": "build", ".so": "build", ".class": "build", ".pyc": "build", ".exe": "build", ".jar": "build", ".wasm": "build",
	".lock": "lock", ".pid": "lock", ".sock": "lock",
	".png": "media", ".jpg": "media", ".jpeg": "media", ".gif": "media", ".mp4": "media", ".wav": "media", ".mp3": "media", ".svg": "media",
}

func classOf(name string) string {
	base := strings.ToLower(path.Base(name))
	if strings.HasPrefix(base, ".env") {
		return "credential"
	}
	if c := fileClasses[path.Ext(base)]; c != "" {
		return c
	}
	return "other"
}
