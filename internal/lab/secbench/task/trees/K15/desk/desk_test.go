package desk

import (
	"os"
	"testing"
)

func TestRead(t *testing.T) {
	text, err := os.ReadFile("desk.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(text)
	if err != nil || d.Name != "hall of maps" || !d.Lamps.Warm {
		t.Errorf("got %+v, %v", d, err)
	}
}
