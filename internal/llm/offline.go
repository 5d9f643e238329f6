package llm

import "fmt"

// Offline is a model that is asked through files, which somebody else carries: it
// writes the body of a request to chat/completions and reads the body of its
// answer. Nothing is sent, and no key is wanted.
type Offline struct{ c Client }

// NewOffline returns the model of a configuration. Only [OpenAI]'s dialect is that of
// the files.
func NewOffline(c Config) (*Offline, error) {
	if _, err := c.check(); err != nil {
		return nil, err
	}
	if c.Provider != OpenAI {
		return nil, fmt.Errorf("files of requests are for the provider %s, not %s", OpenAI, c.Provider)
	}
	return &Offline{Client{config: c, dialect: chat{}}}, nil
}

// Request returns the body that asks a question, the same bytes for the same
// question. The error is a [*Failure].
func (o *Offline) Request(q Question) ([]byte, error) {
	if f := o.c.refuse(q); f != nil {
		return nil, f
	}
	body, f := chat{}.encode(o.c.config, q, false)
	if f != nil {
		return nil, f
	}
	return body, nil
}

// Answer reads the body of an answer with status 200, as [Client.Ask] does: the
// error is a [*Failure], and then the Answer has no text.
func (o *Offline) Answer(q Question, reply []byte) (Answer, error) {
	a, f := o.c.read(reply, q)
	a.Tries, a.Cost = 1, o.c.config.Price.of(a.Usage)
	if f != nil {
		a.Text, a.LogProbs = "", nil
		return a, f
	}
	return a, nil
}
