package deploy

import (
	"os"
	"testing"
)

func TestIntake(t *testing.T) {
	text, err := os.ReadFile("intake.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values, err := Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"kind": "Deployment", "spec.replicas": "2"} {
		if values[path] != want {
			t.Errorf("%s is %q", path, values[path])
		}
	}
}

func TestReadLists(t *testing.T) {
	for _, text := range []string{"a:\n- b\n- c\n", "a:\n  - b\n  - c # the last\n", "a: [b, \"c\"]\n"} {
		values, err := Read(text)
		if err != nil || len(values) != 2 || values["a[0]"] != "b" || values["a[1]"] != "c" {
			t.Errorf("%q: %v, %v", text, values, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"a: &b c\n", "a: *b\n", "a: !c d\n", "a: b\n---\nc: d\n", "a: b\na: c\n", "a: |\n  b\n"} {
		if values, err := Read(text); err == nil {
			t.Errorf("%q: %v", text, values)
		}
	}
}
