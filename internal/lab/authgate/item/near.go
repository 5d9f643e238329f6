package item

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/ngram"
)

// Thresholds are the bounds by which a data set was made. Fractions are decimals.
type Thresholds struct {
	NearDuplicate    string `json:"near_duplicate"`    // of request, trajectory and action together
	RequestDuplicate string `json:"request_duplicate"` // of the request alone
	SeedCopy         string `json:"seed_copy"`
	Cluster          string `json:"cluster"`      // pairs from this similarity on stay on one side of the split
	VerbQuota        string `json:"verb_quota"`   // rows of a mode with one tool and first verb
	DomainQuota      string `json:"domain_quota"` // rows of a mode in one domain
	RepairRounds     int    `json:"repair_rounds"`
}

// The thresholds of this version.
const (
	nearDuplicate    = 0.60
	requestDuplicate = 0.80
	seedCopy         = 0.50
	sameCluster      = 0.40
	verbQuota        = 8  // of quotaOf pairs
	domainQuota      = 12 // of quotaOf pairs
	quotaOf          = 70
)

// MostRepairs is how many rounds of repair a draft gets.
const MostRepairs = 3

// thresholds are those of this version as a manifest says them.
var thresholds = Thresholds{
	NearDuplicate: fmt.Sprintf("%.2f", nearDuplicate), RequestDuplicate: fmt.Sprintf("%.2f", requestDuplicate),
	SeedCopy: fmt.Sprintf("%.2f", seedCopy), Cluster: fmt.Sprintf("%.2f", sameCluster),
	VerbQuota: fmt.Sprintf("%d/%d", verbQuota, quotaOf), DomainQuota: fmt.Sprintf("%d/%d", domainQuota, quotaOf),
	RepairRounds: MostRepairs,
}

// form is a row as the comparison sees it.
type form struct {
	request, trajectory, action ngram.Set
}

func formOf(i *Instance) form {
	return form{
		ngram.Of(ngram.Words(i.request())),
		ngram.Of(ngram.Words(i.Visible.trajectoryText())),
		ngram.Of(ngram.Words(i.Visible.Action.Tool + " " + i.Visible.actionText())),
	}
}

// similarity is that of two base rows. The others have trajectory and action of
// their base row, so of them only the request is compared.
func (f form) similarity(g form) float64 {
	return 0.4*f.request.Jaccard(g.request) + 0.3*f.trajectory.Jaccard(g.trajectory) + 0.3*f.action.Jaccard(g.action)
}

// neighbour is the nearest row of the same role in another pair.
type neighbour struct {
	id  string
	how float64
}

// neighbours returns the nearest row of each row, by id.
func neighbours(rows []Instance) map[string]neighbour {
	forms, nearest := formsOf(rows), map[string]neighbour{}
	for i := range rows {
		for j := range rows {
			if rows[i].Role != rows[j].Role || rows[i].PairID == rows[j].PairID {
				continue
			}
			how := forms[i].request.Jaccard(forms[j].request)
			if rows[i].Role == Base {
				how = forms[i].similarity(forms[j])
			}
			if best, ok := nearest[rows[i].ID]; !ok || how > best.how {
				nearest[rows[i].ID] = neighbour{rows[j].ID, how}
			}
		}
	}
	return nearest
}

func formsOf(rows []Instance) []form {
	forms := make([]form, len(rows))
	for i := range rows {
		forms[i] = formOf(&rows[i])
	}
	return forms
}

// Shelf holds rows with which further ones are compared, over all modes: those of
// the same role in other pairs, and examples that no row may copy.
type Shelf struct {
	seeds []Seed
	rows  []shelved
}

type shelved struct {
	row    *Instance
	form   form
	action string // digest
}

// NewShelf returns a shelf with nothing but examples on it.
func NewShelf(seeds []Seed) *Shelf { return &Shelf{seeds: seeds} }

// Add puts a row on the shelf.
func (s *Shelf) Add(i *Instance) {
	s.rows = append(s.rows, shelved{i, formOf(i), digestOf(i.Visible.Action)})
}

// Remove takes the rows of a pair away.
func (s *Shelf) Remove(pair string) {
	s.rows = slices.DeleteFunc(s.rows, func(r shelved) bool { return r.row.PairID == pair })
}

// Compare says what of the shelf a row is like: near_duplicate or seed_copy. Of other
// rows than base rows only the request is compared, as the rest is not their own.
func (s *Shelf) Compare(i *Instance) (found Findings) {
	report := func(code, path, format string, args ...any) {
		found = append(found, Finding{Row: i.ID, Code: code, Path: path, What: fmt.Sprintf(format, args...)})
	}
	f, action := formOf(i), digestOf(i.Visible.Action)
	for _, r := range s.rows {
		if i.Role != r.row.Role || i.PairID == r.row.PairID {
			continue
		}
		if how := f.request.Jaccard(r.form.request); how >= requestDuplicate {
			report("near_duplicate", "/visible/request", "is like that of %s (%.2f)", r.row.ID, how)
		}
		if i.Role != Base {
			continue
		}
		if how := f.similarity(r.form); how >= nearDuplicate {
			report("near_duplicate", "/visible", "is like %s (%.2f)", r.row.ID, how)
		}
		if i.Mode == r.row.Mode && action == r.action {
			report("near_duplicate", "/visible/action", "is that of %s", r.row.ID)
		}
	}
	for _, seed := range s.seeds {
		if how := f.similarity(seed.form); i.Role == Base && how >= seedCopy {
			report("seed_copy", "/visible", "is like the seed %s (%.2f)", seed.ID, how)
		}
	}
	return found
}

// near compares each row with the earlier ones.
func (c *checker) near() {
	shelf := NewShelf(c.seeds)
	for n := range c.set.Instances {
		i := &c.set.Instances[n]
		for _, f := range shelf.Compare(i) {
			c.report(i, f.Code, f.Path, "%s", f.What)
		}
		shelf.Add(i)
	}
}

// Quota counts base rows by what a mode must not be full of: one tool with its first
// verb, or one domain.
type Quota map[string]int

// Add counts a row, n times; -1 takes it back.
func (q Quota) Add(i *Instance, n int) {
	q[string(i.Mode)+" does "+i.verb()] += n
	q[string(i.Mode)+" in "+i.Domain] += n
}

// Over says what a mode of size pairs would have too many of with one more such row.
func (q Quota) Over(i *Instance, size int) (found Findings) {
	report := func(path string, most int, kind string) {
		found = append(found, Finding{Row: i.ID, Code: "quota", Path: path, What: fmt.Sprintf("more than %d of %d pairs of the mode are of %q", most, size, kind)})
	}
	if most := share(verbQuota, size); q[string(i.Mode)+" does "+i.verb()] >= most {
		report("/visible/action", most, i.verb())
	}
	if most := DomainQuota(size); q[string(i.Mode)+" in "+i.Domain] >= most {
		report("/domain", most, i.Domain)
	}
	return found
}

// DomainQuota is how many of size pairs of a mode may be in one domain.
func DomainQuota(size int) int { return share(domainQuota, size) }

// quotas: a mode is not full of one tool and verb, or of one domain.
func (c *checker) quotas() {
	sizes, q := map[Mode]int{}, Quota{}
	for _, p := range c.pairs {
		if p.Base != nil {
			sizes[p.Base.Mode]++
		}
	}
	for _, p := range c.pairs {
		if p.Base == nil {
			continue
		}
		for _, f := range q.Over(p.Base, sizes[p.Base.Mode]) {
			c.report(p.Base, f.Code, f.Path, "%s", f.What)
		}
		q.Add(p.Base, 1)
	}
}

// share returns what a bound for quotaOf pairs is for n pairs, rounded up.
func share(quota, n int) int { return (quota*n + quotaOf - 1) / quotaOf }

// verb is the tool, and for a command line also the program with its
// subcommand, if the second word can be one.
func (i *Instance) verb() string {
	verb := i.Visible.Action.Tool
	command := canonical(i.Visible.Action.Args).Get("command").Text()
	for n, w := range strings.Fields(command) {
		if n == 2 || n == 1 && strings.ContainsAny(w, "-./=:$'\"") {
			break
		}
		verb = fmt.Sprintf("%s %s", verb, w)
	}
	return verb
}

// clusters puts pairs together that are alike, directly or through others, and
// returns the name of the cluster of each pair: the first pair in it.
func clusters(rows []Instance) map[string]string {
	var bases []*Instance
	for i := range rows {
		if rows[i].Role == Base {
			bases = append(bases, &rows[i])
		}
	}
	of := map[string]string{}
	forms := make([]form, len(bases))
	for i, b := range bases {
		of[b.PairID], forms[i] = b.PairID, formOf(b)
	}
	for i := range bases {
		for j := range i {
			if forms[i].similarity(forms[j]) < sameCluster {
				continue
			}
			both := []string{of[bases[i].PairID], of[bases[j].PairID]}
			slices.Sort(both)
			for pair, name := range of {
				if name == both[1] {
					of[pair] = both[0]
				}
			}
		}
	}
	return of
}
