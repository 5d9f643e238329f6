package mcpproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

// DefaultInFlight is how many requests of one side may wait for an answer.
const DefaultInFlight = 256

// grace is how long an end of the relay is given to finish by itself.
const grace = 3 * time.Second

// Options say whom to relay. All but the last group is required.
type Options struct {
	Gate    *gate.Gate
	Agent   string   // who asks, as the command that started the relay says
	Server  string   // configured name of the server
	Command []string // program and arguments of the server
	In      io.Reader
	Out     io.Writer // protocol only
	Log     io.Writer // for the operator; the server's own messages too

	Speaks      authz.Credential // by what right the client speaks as the agent
	Session     string           // "" = none known
	Env         []string         // environment of the server; what begins with LICET_ is kept from it
	Dir         string           // working directory of the server, absolute; "" = the gate's own
	MaxMessage  int              // bytes; 0 = toolcall.DefaultBytes
	MaxInFlight int              // 0 = DefaultInFlight
	Hold        time.Duration    // how long a held call waits for its approval; 0 = it is answered at once
}

func (o *Options) complete() error {
	switch {
	case o.Gate == nil:
		return errors.New("mcpproxy: no gate")
	case o.Agent == "" || o.Server == "":
		return errors.New("mcpproxy: agent and server need a name")
	case len(o.Command) == 0:
		return errors.New("mcpproxy: no command to start the server")
	case o.In == nil || o.Out == nil || o.Log == nil:
		return errors.New("mcpproxy: input, output and log are all needed")
	}
	return nil
}

// Run starts the server and relays until the client closes In, the server or ctx
// ends, or a side does not take what is sent to it; then it stops the server. It
// returns an error if the server could not be started, ended by itself or was
// cut off.
//
// Once In or ctx has ended, Run returns within three times grace, also when
// nobody reads Out, if the server ends when its input does; one that must be
// killed takes up to twice grace longer. A read of In or a write to Out, which
// nothing can interrupt, may be left behind.
func Run(ctx context.Context, o Options) error {
	if err := o.complete(); err != nil {
		return err
	}
	p, err := start(o, grace)
	if err != nil {
		return fmt.Errorf("starting server %s: %w", o.Server, err)
	}
	return run(ctx, o, grants{o.Gate}, p)
}

// peer is the server's end.
type peer interface {
	io.ReadWriter
	// Stop asks the server to end, then makes it. Reading goes on until it has.
	// It returns how the server ended, in words, and an error if that was not well.
	Stop() (status string, err error)
}

func run(ctx context.Context, o Options, g authorizer, server peer) error {
	if o.MaxMessage == 0 {
		o.MaxMessage = toolcall.DefaultBytes
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = DefaultInFlight
	}
	toClient, toServer := newSink(o.Out), newSink(server)
	r := newRelay(o, g, toClient, toServer)
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	clientEnd := r.pump(running, o.In, r.client, r.remote)
	serverEnd := r.pump(running, server, r.remote, r.client)

	ended := r.untilEnd(ctx, clientEnd, serverEnd)
	status, err := server.Stop()
	toServer.stop(errStopped)
	defer toClient.stopAfter(grace)()
	<-serverEnd
	cancel()
	<-clientEnd
	open := r.finish(ctx)
	toClient.flush()
	if n := r.unasked.Load(); n > 0 {
		r.log.Printf("asked the gate %d times about calls that were not judged, as the judge had blocked too many (%s)", n, authz.JudgeBreaker)
	}
	if ended != nil {
		return fmt.Errorf("server %s %w (%s): %s", o.Server, ended, status, fate(open))
	}
	if err != nil {
		r.log.Printf("server %s ended after the client: %s", o.Server, status)
	}
	return nil
}

// fate says what became of the requests that the server leaves behind.
func fate(open int) string {
	switch open {
	case 0:
		return "no request was left without an answer"
	case 1:
		return "the one request without an answer got an error; if it is a call, it may have run"
	}
	return fmt.Sprintf("the %d requests without an answer got an error each; those that are calls may have run", open)
}

// untilEnd returns when there is nothing to relay any more: with an error, if
// that is because of the server, which says what it did.
func (r *relay) untilEnd(ctx context.Context, clientEnd, serverEnd <-chan struct{}) error {
	client, server := r.client.origin, r.client.target
	var err error
	select {
	case <-ctx.Done():
	case <-clientEnd:
		r.settle(ctx, serverEnd)
	case <-serverEnd:
		err = errors.New("ended by itself")
	case <-client.cut: // most have gone, and their end is still to be read
		r.log.Printf("the client was cut off: %v", client.reason())
	case <-server.cut:
		err = fmt.Errorf("was cut off: %w", server.reason())
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// pump receives what the owner of lane l sends, line by line. What it returns
// is closed when it receives no more. Reading stands apart, because ctx can't
// interrupt it.
func (r *relay) pump(ctx context.Context, in io.Reader, l, other *lane) <-chan struct{} {
	incoming, end := make(chan line), make(chan struct{})
	go func() {
		defer close(incoming)
		r.read(ctx, in, l.from, incoming)
	}()
	go func() {
		defer close(end)
		for {
			select {
			case in, more := <-incoming:
				if !more {
					return
				}
				r.receive(ctx, l, other, in)
			case <-ctx.Done():
				return
			}
		}
	}()
	return end
}

func (r *relay) read(ctx context.Context, in io.Reader, from Side, out chan<- line) {
	for lines := newLines(in, r.bounds.Bytes); ; {
		l, err := lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
				r.log.Printf("reading from the %s: %v", from, err)
			}
			return
		}
		select {
		case out <- l:
		case <-ctx.Done():
			return
		}
	}
}

// settleTime is how long calls that were read before the client's end are given
// for their decision and their outcome.
const settleTime = gate.DefaultDeadline + time.Second

// settle lets what was read before the client's end come through, and waits a
// while for the outcome of calls. Held ones do not wait: nobody is there for the
// answer.
func (r *relay) settle(ctx context.Context, serverEnd <-chan struct{}) {
	r.release()
	defer r.client.target.stopAfter(settleTime)()
	select {
	case <-r.client.whenIdle():
	case <-serverEnd:
	case <-r.client.target.cut:
	case <-ctx.Done():
		return
	}
	r.client.target.flush()
}

// finish ends what is left when the server is not there any more, and returns how
// many requests of the client it leaves without its answer. Those that were not
// forwarded yet are answered by their decision.
func (r *relay) finish(ctx context.Context) (open int) {
	r.end()
	r.deciding.Wait()
	r.counting.Wait()
	for _, l := range []*lane{r.client, r.remote} {
		for _, q := range l.rest() {
			r.lost(ctx, l, q, "the connection ended before the answer came")
			if l == r.client {
				open++
			}
		}
	}
	return open
}
