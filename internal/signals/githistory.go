package signals

import (
	"container/heap"
	"path"
	"strings"
)

// Bounds of looking at the history.
const (
	maxCommits = 2_000
	maxTrees   = 2_000
)

// unpushed counts the commits that lead to tips and that no remote branch has.
// Where these are too many, or one cannot be read, it is not complete.
func (l *look) unpushed(r *repository, all refs, tips []oid) (n int, complete bool) {
	o, err := l.objects(r, 4*maxCommits)
	if err != nil {
		return 0, l.miss("objects", err)
	}
	defer o.close()
	w := walk{seen: map[oid]*visit{}}
	for name, id := range all {
		if strings.HasPrefix(name, "refs/remotes/") {
			err = w.push(o, id, true, err)
		}
	}
	for _, id := range tips {
		err = w.push(o, id, false, err)
	}
	for err == nil && w.wanted > 0 {
		if len(w.seen) > maxCommits {
			return w.counted, l.miss("history", errTooLarge)
		}
		v := heap.Pop(&w.queue).(*visit)
		v.queued = false
		if !v.pushed {
			w.wanted--
			w.counted++
		}
		for _, p := range v.parents {
			err = w.push(o, p, v.pushed, err)
		}
	}
	if err != nil {
		return w.counted, l.miss("history", err)
	}
	return w.counted, true
}

// walk visits commits, the newest first, until none is left that may be counted.
type walk struct {
	seen    map[oid]*visit
	queue   newest
	wanted  int // visits in the queue that are not known to be pushed
	counted int // visited ones
}

type visit struct {
	commit
	pushed, queued bool
}

// push notes a commit. One that was taken for not pushed, and is, is taken back,
// with its parents: clocks of committers are not in order.
func (w *walk) push(o *objects, id oid, pushed bool, err error) error {
	if err != nil {
		return err
	}
	v := w.seen[id]
	switch {
	case v == nil:
		c, err := o.commit(id)
		if err != nil {
			return err
		}
		v = &visit{commit: c, pushed: pushed, queued: true}
		w.seen[id] = v
		heap.Push(&w.queue, v)
		if !pushed {
			w.wanted++
		}
	case pushed && !v.pushed:
		v.pushed = true
		if v.queued {
			w.wanted--
			return nil
		}
		w.counted--
		v.queued = true
		heap.Push(&w.queue, v)
	}
	return nil
}

// newest is a heap of commits by date.
type newest []*visit

func (q newest) Len() int           { return len(q) }
func (q newest) Less(i, j int) bool { return q[i].date > q[j].date }
func (q newest) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *newest) Push(x any)        { *q = append(*q, x.(*visit)) }
func (q *newest) Pop() any {
	old := *q
	v := old[len(old)-1]
	*q = old[:len(old)-1]
	return v
}

// staged returns the staged files that differ from a commit, and whether these
// are all.
func (l *look) staged(r *repository, x *index, head oid, born bool) (all map[string]bool, complete bool) {
	d := differ{index: x, all: map[string]bool{}}
	if !born {
		d.below("")
		return d.all, true
	}
	var err error
	if d.objects, err = l.objects(r, maxTrees); err != nil {
		return nil, l.miss("objects", err)
	}
	defer d.objects.close()
	c, err := d.objects.commit(head)
	if err == nil {
		err = d.compare("", c.tree)
	}
	if err != nil {
		return d.all, l.miss("trees", err)
	}
	return d.all, true
}

// differ compares an index with the tree of a commit.
type differ struct {
	index    *index
	objects  *objects
	children map[string][]string // of each folder of the index: files, and folders with a slash behind
	all      map[string]bool
}

// children returns what lies in each folder of an index.
func (x *index) children() map[string][]string {
	all := map[string][]string{}
	for i := range x.entries {
		name := x.entries[i].path
		all[folderOf(name)] = append(all[folderOf(name)], path.Base(name))
	}
	for dir := range x.folders {
		all[folderOf(dir)] = append(all[folderOf(dir)], path.Base(dir)+"/")
	}
	return all
}

// folderOf returns the folder in which a file below the top lies; "" is the top.
func folderOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// below notes all files of the index below a folder.
func (d *differ) below(dir string) {
	for _, e := range d.index.entries {
		if dir == "" || strings.HasPrefix(e.path, dir+"/") {
			d.all[e.path] = true
		}
	}
}

// compare notes the files that differ between the index and a tree. Folders of
// which git remembers the tree are compared by its name.
func (d *differ) compare(dir string, tree oid) error {
	if known, ok := d.index.trees[dir]; ok && known == tree {
		return nil
	}
	entries, err := d.objects.tree(tree)
	if err != nil {
		return err
	}
	if d.children == nil {
		d.children = d.index.children()
	}
	for _, child := range d.children[dir] {
		name, folder := strings.CutSuffix(child, "/")
		full := path.Join(dir, name)
		was, there := entries[name]
		delete(entries, name)
		switch {
		case folder && there && was.folder:
			err = d.compare(full, was.id)
		case folder:
			d.below(full)
		default:
			e := d.index.entries[d.index.byPath[full]]
			if !there || was.folder || was.id != e.id || e.stage != 0 {
				d.all[full] = true
			}
		}
		if err != nil {
			return err
		}
	}
	for name := range entries { // not in the index any more; a folder counts once
		d.all[path.Join(dir, name)] = true
	}
	return nil
}
