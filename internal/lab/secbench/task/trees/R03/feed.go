package covers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// ErrNotOurs says that an address is not one of the store.
var ErrNotOurs = errors.New("this address is not one of the store")

// Feed is what is new in the store.
type Feed struct {
	Client *http.Client
	Store  string // as in Store
}

// Titles fetches the titles that a page of the feed lists, one a line.
func (f *Feed) Titles(ctx context.Context, page string) ([]string, error) {
	where, err := url.Parse(page)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the feed: %w", err)
	}
	if where.Scheme != "https" || where.Host != f.Store || where.User != nil {
		return nil, ErrNotOurs
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("asking for the feed: %w", err)
	}
	answer, err := f.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking for the feed: %w", err)
	}
	defer answer.Body.Close()
	var titles []string
	lines := bufio.NewScanner(io.LimitReader(answer.Body, LargestFeed))
	for lines.Scan() {
		titles = append(titles, lines.Text())
	}
	return titles, lines.Err()
}
