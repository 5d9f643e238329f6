package modeljudge_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/authgate/modeljudge"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/fakellm"
	"github.com/licet-dev/licet/internal/llm"
)

// BenchmarkRun asks the scripted server all questions of a run of the published size:
// 1,400 stand-in items, two policies, three epochs, 64 at a time, each answered after
// 50 ms. It reports how many times the time of the waits alone the run took, and how
// many bytes were on the heap at most, those of the server in this process too.
//
//	go test -run '^$' -bench Run -benchtime 1x ./internal/lab/authgate/modeljudge
func BenchmarkRun(b *testing.B) {
	const instances, workers, epochs, latency = 700, 64, 3, 50 * time.Millisecond
	script, err := fakellm.Parse("script.yaml", []byte(`rules: [{latency_ms: 50, text: '`+plainAllow+`'}]`))
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(script.Handler(io.Discard))
	defer server.Close()
	o := options(server.URL)
	o.Model.Config.Limit.Tries = 1 << 30
	judge, err := modeljudge.New(o, llm.RealSystem())
	if err != nil {
		b.Fatal(err)
	}
	p := plan(judge)
	p.Policies, p.Epochs = append(p.Policies, run.Policy{Name: "implicit", Text: "Judge."}), epochs
	stand := p.Items[0]
	p.Items = nil
	for i := range instances {
		stand.ID = fmt.Sprintf("stand-in-%03d", i)
		p.Items = append(p.Items, stand)
	}
	all := instances * len(p.Forms) * len(p.Policies) * epochs
	ideal := time.Duration((all+workers-1)/workers) * latency
	var took time.Duration
	var heap uint64
	for b.Loop() {
		j, err := run.OpenJournal(b.TempDir(), p)
		if err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		out, err := run.Run(b.Context(), p, j, run.Options{Workers: workers, Progress: func(p run.Progress) {
			if p.New%500 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap = max(heap, m.HeapAlloc)
			}
		}})
		took += time.Since(begun)
		if err != nil || out.New != all {
			b.Fatalf("%+v, %v", out, err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if len(p.Forms)*instances != 1400 || p.Forms[1] != result.Signals {
		b.Fatal("not 1,400 items")
	}
	b.ReportMetric(took.Seconds()/float64(b.N)/ideal.Seconds(), "x-ideal")
	b.ReportMetric(float64(heap)/1e6, "MB-heap")
	b.ReportMetric(0, "ns/op")
}
