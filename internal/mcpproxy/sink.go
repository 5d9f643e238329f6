package mcpproxy

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// maxQueued is how many bytes of each kind of line may wait for one side to
// read, beside the last such line, which may go beyond.
const maxQueued = 4 << 20

// Why nothing is written to a side any more.
var (
	errFull    = errors.New("it does not read what it is sent")
	errUnread  = errors.New("it did not read in time what was left to send")
	errStopped = errors.New("it was stopped")
)

// sink writes lines to one side, whole and in the order in which it got them.
// It writes from a goroutine of its own: a side that writes before it reads
// must not keep the relay from reading.
type sink struct {
	w   io.Writer
	cut chan struct{} // closed when nothing is written any more

	mu      sync.Mutex
	changed sync.Cond // of what follows
	queue   []queued  // the first one is being written
	passed  int       // bytes in queue that came from the other side
	answers int       // bytes in queue that answer this side
	writing bool
	err     error // why nothing is written any more
}

// queued is a line that waits.
type queued struct {
	wire []byte
	kind *int // where its bytes are counted
}

func newSink(w io.Writer) *sink {
	s := &sink{w: w, cut: make(chan struct{})}
	s.changed.L = &s.mu
	return s
}

// send passes on what came from the other side. It waits for room, so that a
// side that reads slowly slows down the other one.
func (s *sink) send(wire []byte) error {
	return s.sendIf(wire, func() error { return nil })
}

// sendIf passes the line on unless ready, called when it is the next to go in,
// returns an error. After an error nothing of the line is ever written.
func (s *sink) sendIf(wire []byte, ready func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && s.passed >= maxQueued {
		s.changed.Wait()
	}
	if s.err != nil {
		return s.err
	}
	if err := ready(); err != nil {
		return err
	}
	s.put(wire, &s.passed)
	return nil
}

// reply answers this side's own messages. It does not wait for room, because
// the side may not read before it has written: it is cut off where there is
// none.
func (s *sink) reply(wire []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.answers >= maxQueued {
		s.fail(errFull)
	}
	if s.err != nil {
		return s.err
	}
	s.put(wire, &s.answers)
	return nil
}

// flush waits until all is written, or never will be.
func (s *sink) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 {
		s.changed.Wait()
	}
}

// stop drops what is not written yet and all that is still to come.
func (s *sink) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(why)
}

// stopAfter stops the sink after a while, unless it is called off.
func (s *sink) stopAfter(d time.Duration) (callOff func() bool) {
	return time.AfterFunc(d, func() { s.stop(errUnread) }).Stop
}

// reason returns why nothing is written any more, nil if something still is.
func (s *sink) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// write writes what is in the queue. A write that the side does not take ends
// with the side, or with the program.
func (s *sink) write() {
	for line, ok := s.first(); ok; line, ok = s.first() {
		_, err := s.w.Write(line.wire)
		s.wrote(line, err)
	}
}

// first returns the line to be written, if there is one.
func (s *sink) first() (queued, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing = len(s.queue) > 0; !s.writing {
		return queued{}, false
	}
	return s.queue[0], true
}

// wrote takes a line out of the queue.
func (s *sink) wrote(line queued, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil: // the queue is gone
	case err != nil:
		s.fail(fmt.Errorf("writing a message: %w", err))
	default:
		*line.kind -= len(line.wire)
		s.queue[0] = queued{} // the array may stay for long
		s.queue = s.queue[1:]
		s.changed.Broadcast()
	}
}

// put adds a line of a kind; s.mu is held.
func (s *sink) put(wire []byte, kind *int) {
	*kind += len(wire)
	s.queue = append(s.queue, queued{wire, kind})
	if !s.writing {
		s.writing = true
		go s.write()
	}
}

// fail ends all writing; s.mu is held.
func (s *sink) fail(why error) {
	if s.err != nil {
		return
	}
	s.err, s.queue = why, nil
	close(s.cut)
	s.changed.Broadcast()
}
