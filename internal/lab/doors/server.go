package doors

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/licet-dev/licet/internal/toolcall"
)

// The files of a server's folder.
const (
	toolsFile   = "tools.json"    // what it offers: an array of definitions, read at every listing
	resultFile  = "result.json"   // what the next tools/call returns
	journalFile = "journal.jsonl" // every line that came, byte for byte
)

// Serve is an MCP server (2025-06-18, stdio) without behaviour of its own: it
// offers the tools of dir/tools.json, answers every call with dir/result.json,
// and writes each line that comes into dir/journal.jsonl before it answers. A
// ping makes it look whether its tools changed, and say so first. It works on
// lines, not through an SDK, so that the journal is what came.
func Serve(dir string, in io.Reader, out io.Writer) (err error) {
	journal, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	s := server{dir: dir, out: out}
	if s.tools, err = s.read(toolsFile); err != nil {
		return err
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := journal.Write(line); err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
		if err := s.answer(bytes.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
}

type server struct {
	dir   string
	out   io.Writer
	tools []byte // as last announced
}

func (s *server) read(name string) ([]byte, error) { return os.ReadFile(filepath.Join(s.dir, name)) }

// answer answers one line. What is no request gets no answer: the gate lets
// nothing through that cannot be read.
func (s *server) answer(line []byte) error {
	m, err := toolcall.ParseMessage(line, toolcall.Bounds{})
	if err != nil || m.Kind != toolcall.Request {
		return nil
	}
	result := []byte(`{}`)
	switch m.Method {
	case "initialize":
		result = []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"licet-lab","version":"1"}}`)
	case "ping":
		err = s.announce()
	case "tools/list":
		if result, err = s.read(toolsFile); err == nil {
			result = fmt.Appendf(nil, `{"tools":%s}`, result)
		}
	case "tools/call":
		result, err = s.read(resultFile)
	default:
		_, err := fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.RawID)
		return err
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.RawID, result)
	return err
}

// announce says that the tools are other ones, if they are.
func (s *server) announce() error {
	now, err := s.read(toolsFile)
	if err != nil || bytes.Equal(now, s.tools) {
		return err
	}
	s.tools = now
	_, err = io.WriteString(s.out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n")
	return err
}
