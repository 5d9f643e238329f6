package shelltrace

import "testing"

// TestCorpus: there are as many commands, and of the kinds, as the test promises.
func TestCorpus(t *testing.T) {
	all, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, e := range all {
		kinds[e.kind]++
		if e.source == "" || e.command == "" {
			t.Errorf("a command without text or source: %+v", e)
		}
	}
	t.Logf("%d commands: %v", len(all), kinds)
	if len(all) < 2000 || 2*kinds[collected] < len(all) || 3*kinds[template] > len(all) {
		t.Errorf("%d commands, %v: want 2000, half of them collected and at most a third from templates", len(all), kinds)
	}
}
