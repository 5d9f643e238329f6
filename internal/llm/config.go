package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Provider is the dialect of a server.
type Provider string

// The providers. OpenAI is what vLLM, Ollama, llama.cpp and most others speak.
const (
	OpenAI    Provider = "openai"           // POST chat/completions
	Responses Provider = "openai-responses" // POST responses, with store:false
	Anthropic Provider = "anthropic"        // POST messages, with one forced tool
	Gemini    Provider = "gemini"           // POST models/{model}:generateContent
)

var dialects = map[Provider]dialect{OpenAI: chat{}, Responses: responses{}, Anthropic: anthropic{}, Gemini: gemini{}}

// Providers returns all providers, sorted.
func Providers() []Provider { return slices.Sorted(maps.Keys(dialects)) }

// Form is how an OpenAI-compatible server is made to answer in JSON. The others
// have one way each.
type Form string

// The forms, the surest first.
const (
	BySchema Form = "schema" // response_format json_schema; also the zero Form
	ByTool   Form = "tool"   // one forced tool
	ByPrompt Form = "prompt" // the prompt alone asks for it
)

// Config says whom to ask, and what that may cost. What is left out is strict or
// refused, except where a default is named.
type Config struct {
	Provider Provider
	Endpoint string // URL up to and with the version: https://api.openai.com/v1, http://127.0.0.1:11434/v1
	Key      Key    // required for https
	Model    string // to ask for
	Reports  string // what the server must call the model that answered; "" is Model
	Form     Form
	Context  int // tokens; set it for a server that cuts long prompts silently (Ollama), 0 for all others

	Deadline   time.Duration // for all tries and waits of one question; 0: 20 s
	TryTime    time.Duration // for one try; 0: the deadline
	Tries      int           // of one question at most; 0: 3
	Patience   time.Duration // how long a question may be held back, beyond its deadline and tries, by a server that asks for later; see [Client.Ask]
	Limit      Limit         // of this client
	Price      Price
	Tape       *Tape  // nil: ask the server, and keep nothing
	TestHeader string // sent as X-Licet-Test, which rules of the scripted server can match; loopback only
}

// System is what a client takes from its surroundings.
type System struct {
	Now    func() time.Time
	Wait   func(context.Context, time.Duration) error // until the time has passed, or the context ends
	Chance func() float64                             // in [0, 1)
}

// RealSystem returns the clock and randomness of this machine.
func RealSystem() System {
	return System{Now: time.Now, Chance: rand.Float64, Wait: func(ctx context.Context, d time.Duration) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

const (
	defaultDeadline = 20 * time.Second // what a judge has for one call, unless it is told otherwise
	defaultTries    = 3
)

// check refuses a configuration that is not whole or not safe, and fills in the
// defaults.
func (c *Config) check() (*url.URL, error) {
	if dialects[c.Provider] == nil {
		return nil, fmt.Errorf("the provider %q: expected one of %q", c.Provider, Providers())
	}
	endpoint, err := endpointURL(c.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the endpoint: %w", err)
	}
	switch {
	case c.Model == "":
		return nil, errors.New("no model is named")
	case c.TestHeader != "" && endpoint.Scheme == "https":
		return nil, errors.New("the test header goes to a scripted server only, on a loopback address")
	case c.Form != "" && c.Form != BySchema && c.Provider != OpenAI:
		return nil, fmt.Errorf("the form %q is for %s only", c.Form, OpenAI)
	case !slices.Contains([]Form{"", BySchema, ByTool, ByPrompt}, c.Form):
		return nil, fmt.Errorf("the form %q: expected %q, %q or %q", c.Form, BySchema, ByTool, ByPrompt)
	case min(int64(c.Context), int64(c.Deadline), int64(c.TryTime), int64(c.Tries), int64(c.Patience)) < 0:
		return nil, errors.New("context, deadline, time of a try, tries and patience are not negative")
	case min(c.Price.Input, c.Price.Cached, c.Price.Written, c.Price.Output) < 0:
		return nil, errors.New("a price is not negative")
	}
	if c.Reports == "" {
		c.Reports = c.Model
	}
	if c.Deadline == 0 {
		c.Deadline = defaultDeadline
	}
	if c.TryTime == 0 {
		c.TryTime = c.Deadline
	}
	if c.Tries == 0 {
		c.Tries = defaultTries
	}
	return endpoint, nil
}

// endpointURL accepts https, and http to this machine.
func endpointURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no URL") // url.Error repeats the text, which may hold a password
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("expected https://HOST/PATH, or http:// to a loopback address")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("user, query and fragment have no place in it: a key comes from a file or the environment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("plain http goes to a loopback address only, not to %s", u.Hostname())
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// IsLocal reports whether an endpoint names this machine.
func IsLocal(endpoint string) bool {
	u, err := endpointURL(endpoint)
	return err == nil && isLoopback(u.Hostname())
}

// isLoopback says whether a host is this machine by its name. What the name
// leads to is looked at again when it is dialled.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// dialLoopback refuses an address that a name such as localhost was made to lead
// to elsewhere.
func dialLoopback(address string) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() {
		return &net.AddrError{Err: "plain http goes to a loopback address only", Addr: address}
	}
	return nil
}
