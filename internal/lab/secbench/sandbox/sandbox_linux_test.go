package sandbox

import (
	"slices"
	"testing"
)

// TestLayers: a box says of no layer that it is there where a part of it is off.
func TestLayers(t *testing.T) {
	whole := Box{}.Layers()
	if len(whole) != 9 || !slices.Contains(whole, "landlock 7") {
		t.Fatalf("%q", whole)
	}
	for name, off := range map[string]Off{
		"namespaces":   {Network: true},
		"mounts":       {Holes: []Path{{Name: "/"}}},
		"limits":       {FileSize: true},
		"descriptors":  {Descriptors: true},
		"landlock 7":   {Strict: true},
		"seccomp":      {Calls: []string{"socket"}},
		"capabilities": {NoNewPrivs: true},
		"user":         {User: true},
		"environment":  {Environment: true},
	} {
		layers := Box{Off: off}.Layers()
		if slices.Contains(layers, name) || len(layers) != len(whole)-1 {
			t.Errorf("without %s: %q", name, layers)
		}
	}
}

// TestUnbounded: nothing runs without a bound.
func TestUnbounded(t *testing.T) {
	for name, take := range map[string]func(*Limits){
		"nothing": func(l *Limits) {}, "all": func(l *Limits) { *l = Limits{} },
		"CPU": func(l *Limits) { l.CPU = 0 }, "wall": func(l *Limits) { l.Wall = 0 }, "memory": func(l *Limits) { l.Memory = 0 },
		"temporary": func(l *Limits) { l.Temporary = 0 }, "file size": func(l *Limits) { l.FileSize = -1 },
		"processes": func(l *Limits) { l.Processes = 0 }, "files": func(l *Limits) { l.Files = 0 },
	} {
		c := Command{Args: []string{"/bin/true"}, Folder: t.TempDir(), Limits: Toy}
		take(&c.Limits)
		if err := c.valid(); (err == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCapped: what is printed beyond the bound is dropped, and is no error.
func TestCapped(t *testing.T) {
	var c capped
	for range 3 {
		if n, err := c.Write(make([]byte, maxOutput/2+1)); n != maxOutput/2+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(c.kept) != maxOutput {
		t.Errorf("%d bytes", len(c.kept))
	}
}
