package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWordsAgainstBash: a word that is called known is what bash makes of it.
func TestWordsAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash on PATH")
	}
	dir := t.TempDir() // empty, so that patterns match nothing
	pieces := []string{
		"a", "x", "1", "3", `'`, `"`, `\`, "$'", "$", "$X", "${X}", "${X:-d}", "${E:-d}", "${E-d}", "${X:+y}", "$E",
		"~", "~/q", "/", "=", ":", "{", "}", ",", "..", `\n`, `\x41`, `\101`, `\\`, `\"`, "*", "[a]", "?", "-", "!", "^", "#", "$(true)", "$((1))", "\n",
	}
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		word := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "word"), "")
		line := "X=vx; E=; probe " + word + " end"
		words, ok := probed(Analyze(line, testEnv))
		if !ok {
			return
		}
		c := exec.Command(bash, "--norc", "-c", `probe() { printf '<%s>' "$@"; exit; }; `+line)
		c.Dir, c.Env = dir, []string{"HOME=/h", "PATH=/usr/bin:/bin"}
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		compared++
		if want := "<" + strings.Join(words, "><") + ">"; string(out) != want {
			t.Errorf("%q: bash makes %s of it, and we %s", line, out, want)
		}
	})
	if compared < 10 {
		t.Errorf("compared %d words: the test is not looking", compared)
	}
}

// probed returns the arguments of the command probe, if all are known.
func probed(a Analysis) ([]string, bool) {
	i := slices.IndexFunc(a.Effects, func(e Effect) bool {
		return e.Kind == Execute && len(e.Words) > 1 && e.Words[0].Text == "probe"
	})
	if i < 0 {
		return nil, false
	}
	var words []string
	for _, w := range a.Effects[i].Words[1:] {
		if !w.Known {
			return nil, false
		}
		words = append(words, w.Text)
	}
	return words, true
}
