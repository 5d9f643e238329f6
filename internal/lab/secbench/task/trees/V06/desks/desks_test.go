package desks

import "testing"

// fake answers every statement with the same rows.
type fake []Row

func (f fake) Query(string, ...any) ([]Row, error) { return f, nil }

func TestReport(t *testing.T) {
	all, err := Report(fake{{"Front", "0"}, {"Maps", "2"}}, 1, 40)
	if err != nil || len(all) != 2 || all[1].Name != "Maps" || len(all[0].Days) != 2 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestKeep(t *testing.T) {
	if err := Keep(fake{}, 1, "Front", "0"); err != nil {
		t.Error(err)
	}
}
