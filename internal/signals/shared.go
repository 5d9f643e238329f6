package signals

import "sync"

// parts are what the collectors of one collection share of a repository, because
// it takes most of their time.
type parts struct {
	index  shared[*index]
	survey shared[*survey]
}

// shared is got by the first who asks for it; the others wait. Nobody changes it.
type shared[T any] struct {
	mu  sync.Mutex
	dir string // of the repository; "" before
	has T
	err error
}

func (s *shared[T]) get(dir string, read func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != dir {
		s.has, s.err = read()
		s.dir = dir
	}
	return s.has, s.err
}
