package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Blobs keeps texts under their hash.
type Blobs interface {
	Put([]byte) (sha string, err error)
	Get(sha string) ([]byte, error) // an *Altered if it is not what was put there
}

// Folder keeps blobs as files of a folder, which must be there.
type Folder string

// Put implements Blobs.
func (f Folder) Put(b []byte) (string, error) {
	sha := Sum(b)
	file, err := os.OpenFile(filepath.Join(string(f), sha), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return sha, nil
	}
	if err != nil {
		return "", fmt.Errorf("keeping a blob: %w", err)
	}
	_, err = file.Write(b)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("keeping a blob: %w", err)
	}
	return sha, nil
}

// Get implements Blobs.
func (f Folder) Get(sha string) ([]byte, error) {
	name := "blobs/" + sha
	b, err := os.ReadFile(filepath.Join(string(f), sha))
	if err != nil {
		return nil, &Altered{File: name, Why: "it cannot be read"}
	}
	if Sum(b) != sha {
		return nil, &Altered{File: name, Why: "its content does not have this hash"}
	}
	return b, nil
}

// Memory keeps blobs in this process.
type Memory map[string][]byte

// Put implements Blobs.
func (m Memory) Put(b []byte) (string, error) {
	sha := Sum(b)
	m[sha] = b
	return sha, nil
}

// Get implements Blobs.
func (m Memory) Get(sha string) ([]byte, error) {
	b, ok := m[sha]
	if !ok {
		return nil, &Altered{File: "blobs/" + sha, Why: "it is not there"}
	}
	return b, nil
}
