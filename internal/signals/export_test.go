package signals

import (
	"context"
	"io/fs"
)

// Patience is how many times tests that are not about time let limits count: the
// machine that runs them may be busy.
const Patience = 40

// On collects on a machine whose system files lie below root.
func On(ctx context.Context, in Input, root string) Report {
	m := thisMachine()
	m.root, m.patience = root, Patience
	return collect(ctx, in, m)
}

// Stalled is a disk on which nothing below a folder answers before done is closed.
func Stalled(ctx context.Context, in Input, below string, done <-chan struct{}) Report {
	m := thisMachine()
	m.disk = stalledDisk{m.disk, below, done}
	return collect(ctx, in, m)
}

type stalledDisk struct {
	disk
	below string
	done  <-chan struct{}
}

func (d stalledDisk) wait(name string) {
	if within(name, d.below) {
		<-d.done
	}
}

func (d stalledDisk) lstat(name string) (fs.FileInfo, error) {
	d.wait(name)
	return d.disk.lstat(name)
}

func (d stalledDisk) open(name string) (file, fs.FileInfo, error) {
	d.wait(name)
	return d.disk.open(name)
}

func (d stalledDisk) list(name string, most int) ([]fs.DirEntry, bool, error) {
	d.wait(name)
	return d.disk.list(name, most)
}

func (d stalledDisk) tree(top string) (tree, error) {
	d.wait(top)
	return d.disk.tree(top)
}

// Broken is a disk with a defect that shows below a folder.
func Broken(ctx context.Context, in Input, below string) Report {
	m := thisMachine()
	m.disk, m.patience = brokenDisk{m.disk, below}, Patience
	return collect(ctx, in, m)
}

type brokenDisk struct {
	disk
	below string
}

func (d brokenDisk) lstat(name string) (fs.FileInfo, error) {
	if within(name, d.below) {
		panic("a defect")
	}
	return d.disk.lstat(name)
}

// BrokenTree is a disk with a defect that shows when many files are looked at.
func BrokenTree(ctx context.Context, in Input) Report {
	m := thisMachine()
	m.disk, m.patience = brokenTrees{m.disk}, Patience
	return collect(ctx, in, m)
}

type brokenTrees struct{ disk }

func (brokenTrees) tree(string) (tree, error)   { return brokenTrees{}, nil }
func (brokenTrees) stat(string) (status, error) { panic("a defect") }
func (brokenTrees) Close() error                { return nil }

// Parsers, for fuzzing.
var (
	Clean       = clean
	ParseIgnore = func(text, name string, folder bool) bool { return ignored(parseIgnore("", text), name, folder) }
	ParseIndex  = func(b []byte) ([]string, error) {
		x, err := parseIndex(string(b), maxEntries)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, e := range x.entries {
			all = append(all, e.path)
		}
		return all, nil
	}
	Patch = patch
)
