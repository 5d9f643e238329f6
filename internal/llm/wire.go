package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// maxBody bounds what is read of an answer. A verdict has a few hundred bytes,
// and one with log-probabilities some hundred thousand.
const maxBody = 4 << 20

var errTooLong = errors.New("the answer is longer than 4 MiB")

// The headers by which the scripted server tells runs of a question apart. They
// are sent to loopback addresses only.
const (
	headerTest  = "X-Licet-Test"
	headerEpoch = "X-Licet-Epoch"
	headerRound = "X-Licet-Round"
	headerTry   = "X-Licet-Try"

	headerScripted = "X-Licet-Scripted" // in an answer: a script wrote it
)

// wire is the transport to a server. The whole answer is read, within bounds,
// and what the server repeats of the key is taken out before anything sees it.
// It follows no redirect: these are answers like others.
type wire struct {
	base http.RoundTripper
	key  Key
}

// newWire returns the transport for an endpoint. Only HTTP/1.1 is spoken: the
// HTTP/2 of this Go release has known holes, and one question at a time gains
// nothing by it. No proxy is taken from the environment: it is not ours to set.
func newWire(endpoint *url.URL, key Key) wire {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if endpoint.Scheme == "http" {
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return dialLoopback(address) }
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return wire{key: key, base: &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		Protocols:              protocols,
		DisableCompression:     true, // the bound is on what is read
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost:    64, // of the lab, which asks many questions at a time
		IdleConnTimeout:        time.Minute,
	}}
}

// RoundTrip sends one request and returns its answer whole.
func (w wire) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, w.clean(err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && len(body) > maxBody {
		err = errTooLong
	}
	if err != nil {
		return nil, w.clean(err)
	}
	for name, values := range resp.Header {
		for i := range values {
			resp.Header[name][i] = string(w.key.scrub([]byte(values[i])))
		}
	}
	body = w.key.scrub(body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// clean returns an error that does not repeat the key: one about a broken answer
// quotes what a server sent.
func (w wire) clean(err error) error {
	if clean := string(w.key.scrub([]byte(err.Error()))); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}

// run tells a tape which request of which run one is.
type run struct {
	Epoch, Round, Try int
	nonce             string
}

type runKey struct{}

func withRun(ctx context.Context, r run) context.Context { return context.WithValue(ctx, runKey{}, r) }

func runOf(ctx context.Context) run {
	r, _ := ctx.Value(runKey{}).(run)
	return r
}
