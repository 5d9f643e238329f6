package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// productRatios runs those Go benchmarks of the product that stand beside a
// peer, five times each.
func productRatios(dir string) ([]ratio, error) {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^Benchmark(Digest|DigestPeer|Commit64)$",
		"-benchtime", "300ms", "-count", "5", "./internal/toolcall", "./internal/store/sqlite")
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("running the product's benchmarks: %w\n%s", err, said)
	}
	found := figures(string(said))
	ours, theirs := found["BenchmarkDigest ns/op"], found["BenchmarkDigestPeer ns/op"]
	stored := found["BenchmarkCommit64 ratio-to-plain"]
	if len(ours) == 0 || len(theirs) == 0 || len(stored) == 0 {
		return nil, fmt.Errorf("the product's benchmarks do not print what is expected:\n%s", said)
	}
	durable := middle(stored) // also as best: the best of ratios between two that wait for a disk is luck
	return []ratio{
		{"parse to digest: licet / encoding/json, gowebpki/jcs", ours[0] / theirs[0], middle(ours) / middle(theirs), goal{}},
		{"durable decisions/s: SQLite store / plain inserts", durable, durable, goal{least: 0.7}},
	}, nil
}

func middle(sorted []float64) float64 { return sorted[len(sorted)/2] }

// figures returns the measured values of the output of go test, sorted, by name
// of benchmark (without the number of processors) and unit.
func figures(output string) map[string][]float64 {
	all := map[string][]float64{}
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(fields[0], "-")
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				all[name+" "+fields[i+1]] = append(all[name+" "+fields[i+1]], value)
			}
		}
	}
	for _, values := range all {
		slices.Sort(values)
	}
	return all
}
