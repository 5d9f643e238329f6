package loans

import "net/http"

// wrapper puts something around a page.
type wrapper func(http.Handler) http.Handler

// chain is a router whose pages share wrappers.
type chain struct {
	mux  *http.ServeMux
	with []wrapper
}

func newChain() *chain { return &chain{mux: http.NewServeMux()} }

// use adds wrappers for what is mounted from here on. The first is the outermost.
func (c *chain) use(with ...wrapper) { c.with = append(c.with, with...) }

// mount puts a page where it is asked for, inside the wrappers so far.
func (c *chain) mount(at string, page http.Handler) {
	for i := len(c.with) - 1; i >= 0; i-- {
		page = c.with[i](page)
	}
	c.mux.Handle(at, page)
}

// ServeHTTP implements http.Handler.
func (c *chain) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }
