package mcpproxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A side that can't be written to ends the relay; what became of the calls that
// were forwarded before is unknown.
func TestSidesThatCannotBeWrittenTo(t *testing.T) {
	const initialized = `C> {"jsonrpc":"2.0","method":"notifications/initialized"}`
	for name, test := range map[string]struct{ script, want string }{
		"the server, calls in flight": {allowed + `
			S!
			` + initialized + `
			G< done unknown
			C< {"jsonrpc":"2.0","id":1,"error":{"code":502,...may have run"}}`, "server bank was cut off: writing a message"},
		"the server, a call of its own": {`
			S!
			C> ` + c1 + `
			G< check allow unverified: BLOCK catalog_unverified
			C< ...catalog_unverified...`, "server bank was cut off: writing a message"},
		"the client": {allowed + `
			C!
			S> ` + r1 + `
			G< done succeeded {"content":[]}`, "the client was cut off: writing a message"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeGate()
				s := newStage(t, f, Options{})
				s.play(test.script)
				if err := s.close(); !strings.Contains(fmt.Sprint(s.log.String(), err), test.want) {
					t.Errorf("the relay ended with %v, want %q\nlog: %s", err, test.want, s.log.String())
				}
			})
		})
	}
}

// aside is a relay whose server the test plays by hand.
type aside struct {
	gate    *fakeGate
	toRelay io.WriteCloser // the client's
	ended   chan error
	cancel  context.CancelFunc
}

// stuck is an output that takes nothing until it is closed.
type stuck chan struct{}

func (s stuck) Write([]byte) (int, error) {
	<-s
	return 0, io.ErrClosedPipe
}

func beside(t *testing.T, out io.Writer, server peer) *aside {
	in, toRelay := io.Pipe()
	a := &aside{gate: newFakeGate(), toRelay: toRelay, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	a.cancel = cancel
	o := Options{Agent: "bot", Server: "bank", Session: "s", In: in, Out: out, Log: io.Discard}
	go func() {
		a.ended <- run(ctx, o, a.gate, server)
	}()
	return a
}

// nowhere is the input of a server that ends with its output.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// A client that does not read does not keep the relay from its end.
func TestOutputThatBlocks(t *testing.T) {
	clientEnds := func(a *aside, _ *io.PipeWriter) { a.toRelay.Close() }
	contextEnds := func(a *aside, _ *io.PipeWriter) { a.cancel() }
	serverEnds := func(_ *aside, w *io.PipeWriter) { w.Close() }
	for name, test := range map[string]struct {
		end  func(*aside, *io.PipeWriter)
		size int // of each of five messages that the client does not read
	}{
		"the client ends":                 {clientEnds, 1},
		"the client ends, no room left":   {clientEnds, maxQueued / 2},
		"the context ends":                {contextEnds, 1},
		"the context ends, no room left":  {contextEnds, maxQueued / 2},
		"the server ends, all taken over": {serverEnds, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := make(stuck)
				defer close(out)
				fromServer, w := io.Pipe()
				a := beside(t, out, &fakeServer{fromServer, nowhere{io.Discard}, func() { w.Close() }})
				defer a.cancel()
				defer a.toRelay.Close()
				go func() {
					for range 5 {
						fmt.Fprintf(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%q}}`+"\n", strings.Repeat("x", test.size))
					}
				}()
				synctest.Wait()
				begin := time.Now()
				test.end(a, w)
				<-a.ended
				if took := time.Since(begin); took > 3*grace {
					t.Errorf("it took %v to end", took)
				}
			})
		})
	}
}

// Nor does a server that does not read what the client sent before its end.
func TestInputThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := make(stuck)
		defer close(in)
		fromServer, w := io.Pipe()
		a := beside(t, io.Discard, &fakeServer{fromServer, nowhere{in}, func() { w.Close() }})
		defer a.cancel()
		begin := time.Now()
		fmt.Fprintln(a.toRelay, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.toRelay.Close()
		if err := <-a.ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > 3*grace {
			t.Errorf("it took %v to end", took)
		}
	})
}

// A server may write all it has to say before it reads: it gets each answer, in
// order. Of what is refused, a burst is recorded, and how many more there were.
func TestServerThatWritesBeforeItReads(t *testing.T) {
	const messages = 3000
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		a := beside(t, io.Discard, &fakeServer{ours, ours, func() {}})
		defer a.cancel()
		for id := range messages {
			fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%d,"method":"x/y"}`+"\n", id)
		}
		answers := bufio.NewScanner(theirs)
		for id := range messages {
			want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,`, id)
			if !answers.Scan() || !strings.HasPrefix(answers.Text(), want) {
				t.Fatalf("answer %d is %q, %v", id, answers.Text(), answers.Err())
			}
		}
		time.Sleep(time.Second)
		synctest.Wait()
		told := a.gate.take()
		want := fmt.Sprintf("refuse limit: %d more messages of the server were refused within a second and have no record each", messages-refusalBurst)
		if len(told) != refusalBurst+1 || told[refusalBurst] != want {
			t.Errorf("the gate was told %d times, the last time %q", len(told), told[len(told)-1])
		}
		fmt.Fprintln(theirs, `{"jsonrpc":"2.0","method":"x/y"}`)
		synctest.Wait()
		if told := a.gate.take(); len(told) != 1 {
			t.Errorf("a refusal of the next second: the gate was told %q", told)
		}
		a.toRelay.Close()
		if err := <-a.ended; err != nil {
			t.Error(err)
		}
	})
}

// The number of refusals is recorded also when the second does not end before
// the relay does.
func TestRefusalsAreCountedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fromServer, w := io.Pipe()
		a := beside(t, io.Discard, &fakeServer{fromServer, nowhere{io.Discard}, func() { w.Close() }})
		defer a.cancel()
		for range refusalBurst + 7 {
			fmt.Fprintln(a.toRelay, "[]")
		}
		a.toRelay.Close()
		<-a.ended
		if told := a.gate.take(); !strings.HasPrefix(told[len(told)-1], "refuse limit: 7 more messages of the client") {
			t.Errorf("the last that the gate was told is %q", told[len(told)-1])
		}
	})
}

// A side that never reads its answers is cut off, and what became of its calls
// is unknown.
func TestServerThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		a := beside(t, io.Discard, &fakeServer{ours, ours, func() {}})
		defer a.cancel()
		defer a.toRelay.Close()
		reads := bufio.NewScanner(theirs)
		fmt.Fprintln(a.toRelay, c1)
		reads.Scan()
		nonce := ownID.FindStringSubmatch(reads.Text())[1]
		fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":"licet:%s:1","result":{"tools":%s}}`+"\n", nonce, allTools)
		if reads.Scan(); reads.Text() != c1 {
			t.Fatalf("the server read %q", reads.Text())
		}
		id := strings.Repeat("x", maxQueued/4)
		for {
			if _, err := fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%q,"method":"x/y"}`+"\n", id); err != nil {
				break
			}
		}
		if err := <-a.ended; err == nil || !strings.Contains(err.Error(), "server bank was cut off: it does not read") {
			t.Errorf("the relay ended with %v", err)
		}
		if told := a.gate.take(); told[len(told)-1] != "done unknown" {
			t.Errorf("the gate was told %q", told)
		}
	})
}

// A side that reads slowly is not cut off for what the other side sends it, be
// it more than may wait, but for its own messages, in whose answers it drowns.
func TestSinkCutsOffFloods(t *testing.T) {
	out := make(stuck)
	defer close(out)
	s := newSink(out)
	if err := s.send(make([]byte, 2*maxQueued)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, maxQueued/2)
	for i, want := range []error{nil, nil, errFull, errFull} {
		if err := s.reply(answer); err != want {
			t.Errorf("answer %d: %v, want %v", i, err, want)
		}
	}
	if err := s.send(answer); err != errFull {
		t.Errorf("after it was cut off: %v", err)
	}
}

// What a sink writes is what it was given, in that order, whoever gave it.
func TestSinkKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got bytes.Buffer
		s, want := newSink(&got), ""
		for _, line := range rapid.SliceOf(rapid.StringMatching(`[a-z]{0,9}\n`)).Draw(t, "lines") {
			put := s.send
			if rapid.Bool().Draw(t, "reply") {
				put = s.reply
			}
			if err := put([]byte(line)); err != nil {
				t.Fatal(err)
			}
			want += line
		}
		if s.flush(); got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
	})
}
