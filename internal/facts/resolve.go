package facts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/constraint"
)

const (
	maxPath  = 1 << 15 // bytes; no system takes a longer one
	maxLinks = 40      // as Linux follows (path_resolution(7))
)

// special is the answer for what no pattern may cover.
var special = constraint.File{Special: true}

// errSpecial says that a path leads to something that no pattern may cover, or
// where cannot be told.
var errSpecial = errors.New("special file")

// Resolve returns where a path leads. A relative text counts from base, which
// is absolute. Links are followed one by one as the operating system does; what
// does not exist yet is appended as it stands.
//
// The result is Special, and has no path, where programs may disagree on the
// file or where it is none: an empty or overlong text, NUL; a `..` that leads
// elsewhere when it is taken before the link in front of it is followed; loops;
// what may not be looked at; devices, pipes and sockets; all of procfs, whose
// links lead into other processes. What else a text may mean to a tool (`~`,
// URLs, short names of Windows) package constraint judges. An error means that
// the file system failed.
//
// Not covered: a hard link or bind mount gives a file a second path that looks
// like any other; and what is resolved may change before the call runs.
func Resolve(text, base string) (constraint.File, error) {
	f, err := resolve(text, base)
	switch {
	case err == nil:
		return f, nil
	case isSpecial(err):
		return special, nil
	}
	return constraint.File{}, fmt.Errorf("resolving a path: %w", err)
}

func resolve(text, base string) (constraint.File, error) {
	if text == "" || len(text) > maxPath || strings.ContainsRune(text, 0) || isAside(text, runtime.GOOS) {
		return constraint.File{}, errSpecial
	}
	if !filepath.IsAbs(text) {
		if !filepath.IsAbs(base) {
			return constraint.File{}, fmt.Errorf("it is relative, and %q is no absolute directory", base)
		}
		dir, err := follow(base)
		if err != nil {
			return constraint.File{}, err
		}
		text = dir + separator + text
	}
	path, err := follow(text)
	if err != nil {
		return constraint.File{}, err
	}
	// Many programs clean a path before they open it. Both must mean one file.
	if strings.Contains(text, "..") {
		clean, err := follow(filepath.Clean(text))
		if err != nil {
			return constraint.File{}, err
		}
		if clean != path {
			return constraint.File{}, errSpecial
		}
	}
	return describe(path)
}

// describe asks the file system what it makes of the names of a followed path.
func describe(path string) (constraint.File, error) {
	info, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return constraint.File{}, err
	}
	leaf := err == nil && !info.IsDir()
	dir, err := existingDir(path)
	if err != nil {
		return constraint.File{}, err
	}
	if magic, err := isProcfs(dir); err != nil || magic {
		return constraint.File{}, cmp.Or(err, errSpecial)
	}
	fold, err := folds(dir)
	return constraint.File{Path: filepath.ToSlash(path), Fold: fold, Leaf: leaf}, err
}

// existingDir returns the deepest directory of a path that exists.
func existingDir(path string) (string, error) {
	for {
		info, err := os.Lstat(path)
		if err == nil && info.IsDir() {
			return path, nil
		}
		parent := filepath.Dir(path)
		if parent == path || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		path = parent
	}
}

const (
	separator    = string(filepath.Separator)
	specialModes = fs.ModeDevice | fs.ModeCharDevice | fs.ModeNamedPipe | fs.ModeSocket | fs.ModeIrregular
)

// follow resolves an absolute path.
func follow(path string) (string, error) {
	end, _, err := trace(path)
	return end, err
}

// trace resolves an absolute path name by name, so that each `..` leaves the
// directory that the link before it led to. It returns where the path leads, and
// the links that it met, each by its own path.
func trace(path string) (end string, links []string, err error) {
	at, todo := cutRoot(path)
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = next
		case err != nil:
			return "", nil, err
		case info.Mode()&specialModes != 0:
			return "", nil, errSpecial
		case info.Mode()&fs.ModeSymlink != 0:
			if links = append(links, next); len(links) > maxLinks {
				return "", nil, errSpecial
			}
			if at, todo, err = followLink(at, next, todo); err != nil {
				return "", nil, err
			}
		default:
			at = next
		}
	}
	return at, links, nil
}

// followLink replaces the link, which stands in the directory at, by its target.
func followLink(at, link string, todo []string) (string, []string, error) {
	if magic, err := isProcfs(at); err != nil || magic {
		return "", nil, cmp.Or(err, errSpecial)
	}
	target, err := os.Readlink(link)
	if err != nil {
		return "", nil, err
	}
	if filepath.IsAbs(target) {
		var names []string
		at, names = cutRoot(target)
		return at, append(names, todo...), nil
	}
	return at, append(splitNames(target), todo...), nil
}

// cutRoot parts an absolute path into its root and the names below.
func cutRoot(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	return volume + separator, splitNames(path[len(volume):])
}

func splitNames(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
}

// isAside reports whether a path stands aside from the tree of files on the
// operating system goos (a GOOS), or counts from a place that is not known.
func isAside(text, goos string) bool {
	switch goos {
	case "windows":
		return windowsAside.MatchString(text)
	case "darwin":
		return darwinAside.MatchString(text)
	}
	return false
}

var (
	// A root without a drive, shares and devices (\\host\share, \\.\COM1), a
	// drive without a root.
	windowsAside = regexp.MustCompile(`^[/\\]|^.:([^/\\]|$)`)
	// Files by number, and the forks of a file.
	darwinAside = regexp.MustCompile(`(?i)^/+\.vol(/|$)|(^|/)\.\.namedfork(/|$)`)
)

// isSpecial reports whether err comes from the path asked for, rather than from
// a file system that failed.
func isSpecial(err error) bool {
	for _, target := range []error{errSpecial, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
