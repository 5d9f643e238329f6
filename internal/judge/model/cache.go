package model

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what is kept of answers.
const (
	cacheLife = 10 * time.Minute
	cacheMost = 10_000 // sessions and answers, together
)

// checkVersion changes whenever the form of prompts or the meaning of answers
// does, so that none of before is taken for one of now.
const checkVersion = "1"

type cacheKey [sha256.Size]byte

// cache keeps answers, allow and block alike, so that the same question gets the
// same answer. It holds those of a session for its latest turns only.
type cache struct {
	mu       sync.Mutex
	sessions map[string]*sessionCache
	size     int
}

type sessionCache struct {
	turns   cacheKey
	answers map[cacheKey]kept
}

type kept struct {
	opinion judge.Opinion
	until   time.Time
}

// keyOf names a question: the whole prompt without its nonce, the case behind it,
// and who is asked, and how.
func keyOf(setup string, c *judge.Case, p prompt) cacheKey {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", checkVersion, setup, c.Affected, c.Turns)
	for _, b := range p.blocks {
		if b.name != signalsName {
			fmt.Fprintf(h, "%s %q\n", b.name, b.lines)
		}
	}
	for _, s := range c.Signals {
		s.Age = 0 // it changes by itself
		if s.Elapses() {
			s.Value = toolcall.NullValue
		}
		fmt.Fprintf(h, "%s\n", s.Record().Canonical())
	}
	return cacheKey(h.Sum(nil))
}

func turnsKey(turns []string) cacheKey {
	return sha256.Sum256(fmt.Appendf(nil, "%q", turns))
}

// of returns the answers of a session, emptied if the user has written since.
func (k *cache) of(c *judge.Case) *sessionCache {
	if k.sessions == nil || k.size >= cacheMost {
		k.sessions, k.size = map[string]*sessionCache{}, 0
	}
	name, turns := strings.Clone(c.Session), turnsKey(c.Turns)
	s := k.sessions[name]
	if s == nil || s.turns != turns {
		if s == nil {
			k.size++
		} else {
			k.size -= len(s.answers)
		}
		s = &sessionCache{turns: turns, answers: map[cacheKey]kept{}}
		k.sessions[name] = s
	}
	return s
}

func (k *cache) get(now time.Time, c *judge.Case, key cacheKey) (judge.Opinion, bool) {
	if c.Session == "" {
		return judge.Opinion{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.of(c).answers[key]
	if !ok || now.After(found.until) {
		return judge.Opinion{}, false
	}
	o := found.opinion
	asked := *o.Asked
	asked.Cached = true
	o.Asked = &asked
	return o, true
}

// put keeps an opinion. What is none is never kept.
func (k *cache) put(now time.Time, c *judge.Case, key cacheKey, o judge.Opinion) {
	if c.Session == "" || o.NoVerdict != "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.of(c)
	if _, again := s.answers[key]; !again {
		k.size++
	}
	s.answers[key] = kept{o, now.Add(cacheLife)}
}
