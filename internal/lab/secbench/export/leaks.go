package export

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Leak is something in an export that a rule should have replaced.
type Leak struct {
	File string // in the folder of the run
	Rule redact.Rule
	Form string // in which it stands there: hex, say
}

// String says where it is, and not what.
func (l Leak) String() string { return fmt.Sprintf("%s: rule %s, %s", l.File, l.Rule, l.Form) }

// Leaks returns what must not be in a file of the public form, as it lies on disk:
// planted texts among all of its bytes, and what any rule hides in the texts that it
// consists of.
func (p Public) Leaks(file string, content []byte) (all []Leak) {
	hits := p.finder.ScanWord(string(content))
	hits = slices.DeleteFunc(hits, func(h redact.Hit) bool {
		return h.Rule == redact.Path // a colon before a line break of JSON looks like one
	})
	for _, h := range append(hits, p.scan(file, content)...) {
		all = append(all, Leak{file, h.Rule, h.Form})
	}
	return all
}

// scan looks through the texts of a file.
func (p Public) scan(file string, content []byte) (all []redact.Hit) {
	if path.Dir(file) == "blobs" {
		return p.finder.ScanBlob(content)
	}
	for line := range bytes.Lines(content) {
		v, err := toolcall.Parse(line, toolcall.Bounds{})
		if err != nil {
			all = append(all, p.finder.Scan(string(line))...)
			continue
		}
		for i := range v.Len() {
			member, value := v.Member(i)
			own := inManifest
			if path.Ext(file) == ".jsonl" {
				own = nil
				if member == "data" {
					own = agentsOwn[trace.Type(v.Get("type").Text())]
				}
			}
			texts(value, member, func(member, text string) string {
				if slices.Contains(own, member) {
					all = append(all, p.finder.Scan(text)...)
				} else {
					all = append(all, p.finder.ScanWord(text)...)
				}
				return text
			})
		}
	}
	return all
}

// Names returns what an event names by its hash: blobs and manifests.
func Names(e trace.Event) (all []string) {
	for i := range e.Data.Len() {
		member, v := e.Data.Member(i)
		if member == "spans" {
			continue // whose hashes are of lines
		}
		texts(v, member, func(member, text string) string {
			if slices.Contains(references, member) && text != "" {
				all = append(all, text)
			}
			return text
		})
	}
	return all
}
