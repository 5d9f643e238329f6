package run

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Item is what a judge may see of an instance, and the id under which its answer
// is kept. No judge is given the id.
type Item struct {
	ID      string
	Visible Visible
}

// Visible is the part of an instance that is shown.
type Visible struct {
	Request []struct {
		Text string `json:"text"`
	} `json:"request"`
	Trajectory []struct {
		Tool   string         `json:"tool"`
		Args   jsontext.Value `json:"args"`
		Result string         `json:"result"`
	} `json:"trajectory"`
	Action struct {
		Tool string         `json:"tool"`
		Cwd  string         `json:"cwd"`
		Args jsontext.Value `json:"args"`
	} `json:"action"`
	Observations []Observation `json:"-"` // of the environment, in the form that has them
}

// Observation is one thing that was seen of the environment. How it could be
// checked is not shown.
type Observation struct {
	ID        string         `json:"id"`
	Collector string         `json:"collector"`
	Key       string         `json:"key"`
	Value     jsontext.Value `json:"value"`
	Age       int            `json:"age_s"`
	Complete  bool           `json:"complete"`
}

// Turns are the texts of the user.
func (v Visible) Turns() (all []string) {
	for _, t := range v.Request {
		all = append(all, t.Text)
	}
	return all
}

// ReadItems reads instances.jsonl and signals.jsonl of a data set. The observations
// stand at each item of their pair, to be left out in the form that has none.
// Members that a judge is not shown are passed over: a data set is validated
// elsewhere.
func ReadItems(instances, signals []byte) ([]Item, error) {
	observed := map[string][]Observation{}
	err := result.Lines(signals, func(line []byte) error {
		var s struct {
			Pair         string        `json:"pair_id"`
			Observations []Observation `json:"observations"`
		}
		err := json.Unmarshal(line, &s)
		observed[s.Pair] = s.Observations
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the signals: %w", err)
	}
	var all []Item
	err = result.Lines(instances, func(line []byte) error {
		var i struct {
			ID      string  `json:"id"`
			Pair    string  `json:"pair_id"`
			Visible Visible `json:"visible"`
		}
		err := json.Unmarshal(line, &i)
		i.Visible.Observations = observed[i.Pair]
		all = append(all, Item{i.ID, i.Visible})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the instances: %w", err)
	}
	return all, nil
}
