package llm

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Key is a provider's secret. However it is printed or marshalled, the secret is
// not in it: behind a pointer it stays hidden also where package fmt prints the
// unexported members of what holds a Key. The zero Key is none: nothing is sent.
type Key struct{ secret *secret }

// secret is a key's text, and what finds it in JSON, where an encoder may have
// escaped any of its characters.
type secret struct {
	text  string
	found *regexp.Regexp
}

const masked = "[key]"

// String returns a placeholder.
func (k Key) String() string { return masked }

// GoString returns the same placeholder, for %#v.
func (k Key) GoString() string { return masked }

// MarshalText returns the same placeholder, for JSON and logs.
func (k Key) MarshalText() ([]byte, error) { return []byte(masked), nil }

// keyForm is what a bearer token may be made of (RFC 6750, section 2.1), and
// long enough that finding it in a text is no accident.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9._~+/=-]{16,512}$`)

func newKey(text, from string) (Key, error) {
	if !keyForm.MatchString(text) {
		return Key{}, fmt.Errorf("%s holds no key: expected 16 to 512 letters, digits and -._~+/=", from)
	}
	var pattern strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&pattern, `(?:\\?%s|\\u00(?i:%02x))`, regexp.QuoteMeta(string(c)), c)
	}
	return Key{&secret{text, regexp.MustCompile(pattern.String())}}, nil
}

// EnvKey takes a key from the variable name of an environment of "name=value".
func EnvKey(env []string, name string) (Key, error) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok && name != "" {
			return newKey(value, "the environment variable "+name)
		}
	}
	return Key{}, fmt.Errorf("the environment variable %s is not set", name)
}

// FileKey reads a key from a file that nobody else can read or exchange: it
// belongs to us or root, others may do nothing with it and can't write in its
// folder. Where a link leads to is what is looked at. A file below one of the
// workspaces, where agents write, is refused.
func FileKey(path string, workspaces ...string) (Key, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return Key{}, fmt.Errorf("finding the key file: %w", err)
	}
	for _, w := range workspaces {
		if inside, err := within(real, w); err != nil || inside {
			return Key{}, errors.Join(err, fmt.Errorf("the key file %s lies in the workspace %s, where agents write", path, w))
		}
	}
	f, err := os.OpenFile(real, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return Key{}, fmt.Errorf("opening the key file: %w", err)
	}
	defer f.Close()
	if err := private(f, filepath.Dir(real)); err != nil {
		return Key{}, fmt.Errorf("the key file %s is not safe: %w", path, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return Key{}, fmt.Errorf("reading the key file: %w", err)
	}
	return newKey(strings.TrimRight(string(text), "\r\n"), "the file "+path)
}

// within says whether path, without links, lies below dir.
func within(path, dir string) (bool, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(real, path)
	return err == nil && filepath.IsLocal(rel), err
}

// scrub takes the key out of a text.
func (k Key) scrub(text []byte) []byte {
	if k == (Key{}) {
		return text
	}
	return k.secret.found.ReplaceAllLiteral(text, []byte(masked))
}

// in says whether the key stands in a text.
func (k Key) in(text string) bool { return k != Key{} && strings.Contains(text, k.secret.text) }
