//go:build linux
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"github.com/licet-dev/licet/internal/shelltrace"
	"strings"
	"sync"
)

func main() {
	dir, _ := os.MkdirTemp("", "dm")
	defer os.RemoveAll(dir)
	sb, err := shelltrace.Open(dir)
	if err != nil { panic(err) }
	ign, _ := os.ReadFile("testdata/ignored.txt")
	var cmds []string
	if len(os.Args) > 1 { cmds = os.Args[1:] } else {
		sc := bufio.NewScanner(os.Stdin)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() { cmds = append(cmds, strings.ReplaceAll(sc.Text(), "\x01", "\n")) }
	}
	verbose := len(os.Args) > 1
	out := make([]string, len(cmds))
	ch := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 { wg.Add(1); go func() { defer wg.Done(); for i := range ch {
		r, err := sb.Check(context.Background(), cmds[i], string(ign))
		var b strings.Builder
		fmt.Fprintf(&b, "== %q", cmds[i])
		if err != nil { fmt.Fprintf(&b, " ERROR %v\n", err) } else {
		if r.Cut { fmt.Fprintf(&b, " CUT") }
		if r.Unknown != "" { fmt.Fprintf(&b, " UNKNOWN(%s)", r.Unknown) }
		if r.Opaque != "" { fmt.Fprintf(&b, " OPAQUE(%s)", r.Opaque) }
		b.WriteString("\n")
		for j, e := range r.Done {
			if verbose && r.Covers[j] != shelltrace.ByNoise || r.Covers[j] == shelltrace.Missed { fmt.Fprintf(&b, "   %s %s [%s]\n", r.Covers[j], e, prog(r.Done, e)) }
		}
		if verbose { for _, u := range r.Unseen { fmt.Fprintf(&b, "   unseen %s\n", u) } }
		}
		if len(os.Args) == 1 { mu.Lock(); fmt.Print(b.String()); mu.Unlock() } else { out[i] = b.String() }
	} }() }
	for i := range cmds { ch <- i }
	close(ch)
	wg.Wait()
	for _, o := range out { fmt.Print(o) }
}

func prog(d []shelltrace.Event, e shelltrace.Event) string {
	if len(e.Runs) == 0 { return "shell" }
	w := d[e.Runs[len(e.Runs)-1]].Words
	if len(w) == 0 { return "" }
	return w[0]
}
