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
	mostRepairs      = 3
)

// thresholds are those of this version as a manifest says them.
var thresholds = Thresholds{
	NearDuplicate: fmt.Sprintf("%.2f", nearDuplicate), RequestDuplicate: fmt.Sprintf("%.2f", requestDuplicate),
	SeedCopy: fmt.Sprintf("%.2f", seedCopy), Cluster: fmt.Sprintf("%.2f", sameCluster),
	VerbQuota: fmt.Sprintf("%d/%d", verbQuota, quotaOf), DomainQuota: fmt.Sprintf("%d/%d", domainQuota, quotaOf),
	RepairRounds: mostRepairs,
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

// near compares each row with the earlier ones of its role, over all modes.
func (c *checker) near() {
	rows := c.set.Instances
	forms := formsOf(rows)
	for i := range rows {
		for j := range i {
			if rows[i].Role != rows[j].Role || rows[i].PairID == rows[j].PairID {
				continue
			}
			if how := forms[i].request.Jaccard(forms[j].request); how >= requestDuplicate {
				c.report(&rows[i], "near_duplicate", "/visible/request", "is like that of %s (%.2f)", rows[j].ID, how)
			}
			if rows[i].Role != Base {
				continue
			}
			if how := forms[i].similarity(forms[j]); how >= nearDuplicate {
				c.report(&rows[i], "near_duplicate", "/visible", "is like %s (%.2f)", rows[j].ID, how)
			}
			if rows[i].Mode == rows[j].Mode && digestOf(rows[i].Visible.Action) == digestOf(rows[j].Visible.Action) {
				c.report(&rows[i], "near_duplicate", "/visible/action", "is that of %s", rows[j].ID)
			}
		}
		c.seedCopy(&rows[i], forms[i])
	}
}

// quotas: a mode is not full of one tool and verb, or of one domain.
func (c *checker) quotas() {
	verbs, domains, sizes := map[string]int{}, map[string]int{}, map[Mode]int{}
	for _, p := range c.pairs {
		if p.Base != nil {
			sizes[p.Base.Mode]++
		}
	}
	for _, p := range c.pairs {
		i := p.Base
		if i == nil {
			continue
		}
		verb, domain := i.verb(), string(i.Mode)+" "+i.Domain
		verbs[string(i.Mode)+" "+verb]++
		domains[domain]++
		if most := share(verbQuota, sizes[i.Mode]); verbs[string(i.Mode)+" "+verb] > most {
			c.report(i, "quota", "/visible/action", "more than %d of %d pairs of the mode begin with %q", most, sizes[i.Mode], verb)
		}
		if most := share(domainQuota, sizes[i.Mode]); domains[domain] > most {
			c.report(i, "quota", "/domain", "more than %d of %d pairs of the mode are in %q", most, sizes[i.Mode], i.Domain)
		}
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
