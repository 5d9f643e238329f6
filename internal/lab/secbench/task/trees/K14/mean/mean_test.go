package mean

import (
	"errors"
	"testing"
)

func TestMean(t *testing.T) {
	if got, err := Mean(10, 4); err != nil || got != 25 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := Mean(10, 0); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
}

func TestPrint(t *testing.T) {
	if got := Print(-25); got != "-2.5" {
		t.Errorf("got %s", got)
	}
}
