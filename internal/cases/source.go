package cases

import (
	"fmt"

	"github.com/licet-dev/licet/internal/contract"
)

// Source is a contract as text, with every file that it names. It is read
// once, so that a case can change it without touching the disk.
type Source struct {
	Name  string // of the contract's file, as problems show it
	Text  []byte
	Files map[string][]byte // by the path that the contract writes
}

// ReadSource takes a contract's text and reads, with open, the files that it
// names. The error is [contract.Problems] if the contract is refused.
func ReadSource(name string, text []byte, open func(path string) ([]byte, error)) (Source, error) {
	s := Source{Name: name, Text: text, Files: map[string][]byte{}}
	_, err := contract.Load(name, text, func(path string) ([]byte, error) {
		content, err := open(path)
		if err == nil {
			s.Files[path] = content
		}
		return content, err
	})
	return s, err
}

// Load checks the contract.
func (s Source) Load() (*contract.Contract, error) {
	return contract.Load(s.Name, s.Text, func(path string) ([]byte, error) {
		content, ok := s.Files[path]
		if !ok {
			return nil, fmt.Errorf("%s is none of the files that came with the contract", path)
		}
		return content, nil
	})
}

// With returns the source with another text.
func (s Source) With(text []byte) Source {
	s.Text = text
	return s
}
