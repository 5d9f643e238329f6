package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of a file of answers, in bytes. It can be larger than one of requests, and
// several can have been put into one.
const (
	maxLine = 4 << 20
	maxFile = 512 << 20
)

// Answer is what a file says of one call.
type Answer struct {
	ID     string         // custom_id
	Status int            // of HTTP; 0 where no answer came
	Body   jsontext.Value // of the response, in canonical form; nil where there is none
	Error  *Error         // nil where the service reports none
}

// Error is why the service has no answer, in its own words.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Usable reports whether a model answered. All else is an error of transport: no
// result, and to be asked again.
func (a Answer) Usable() bool { return a.Error == nil && a.Status == 200 }

// Line returns the answer as a line that [Read] reads to the same answer.
func (a Answer) Line() ([]byte, error) {
	type response struct {
		Status int            `json:"status_code"`
		Body   jsontext.Value `json:"body"`
	}
	var l struct {
		CustomID string    `json:"custom_id"`
		Response *response `json:"response"`
		Error    *Error    `json:"error"`
	}
	l.CustomID, l.Error = a.ID, a.Error
	if a.Status != 0 {
		l.Response = &response{a.Status, a.Body}
	}
	line, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("writing the answer %s: %w", a.ID, err)
	}
	return append(line, '\n'), nil
}

// Read reads a file of answers, or of errors, which the service may write into a
// second file. name stands for it in errors. A line that is not exactly one JSON
// object, or has neither response nor error, refuses the file; members that are not
// known are the service's, and ignored.
func Read(name string, file io.Reader) ([]Answer, error) {
	in := &io.LimitedReader{R: file, N: maxFile + 1}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var all []Answer
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		a, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n, err)
		}
		all = append(all, a)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s: line %d is longer than %d bytes", name, n+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case in.N == 0:
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return all, nil
}

// parse reads one line.
func parse(line []byte) (Answer, error) {
	v, err := toolcall.Parse(line, toolcall.Bounds{Bytes: maxLine})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{ID: v.Get("custom_id").Text(), Error: errorOf(v.Get("error"))}
	if a.ID == "" || len(a.ID) > maxID || notInID.MatchString(a.ID) {
		return Answer{}, fmt.Errorf("the custom_id %q: expected 1 to %d letters, digits, _ and -", a.ID, maxID)
	}
	r := v.Get("response")
	switch r.Kind() {
	case toolcall.Absent, toolcall.Null:
		if a.Error == nil {
			return Answer{}, fmt.Errorf("%s has neither response nor error", a.ID)
		}
		return a, nil
	case toolcall.Object:
		return a, a.read(r)
	}
	return Answer{}, fmt.Errorf("the response of %s is no object", a.ID)
}

// read takes up a response.
func (a *Answer) read(r toolcall.Value) error {
	status := r.Get("status_code")
	if status.Kind() != toolcall.Number {
		return fmt.Errorf("%s has no status_code", a.ID)
	}
	n, whole := status.Number().Int64()
	if !whole || n < 100 || n > 599 {
		return fmt.Errorf("%s has the status %s", a.ID, status.Number())
	}
	a.Status = int(n)
	body := r.Get("body")
	if body.Kind() != toolcall.Absent && body.Kind() != toolcall.Null {
		a.Body = jsontext.Value(body.Canonical())
	}
	if a.Usable() && body.Kind() != toolcall.Object {
		return fmt.Errorf("%s is answered with no object", a.ID)
	}
	return nil
}

// errorOf reads an error. Its form is the service's: some give a number as code, or
// a text in the place of the object.
func errorOf(v toolcall.Value) *Error {
	switch v.Kind() {
	case toolcall.Absent, toolcall.Null:
		return nil
	case toolcall.Object:
		e := Error{Code: v.Get("code").Text(), Message: v.Get("message").Text()}
		if code := v.Get("code"); code.Kind() == toolcall.Number {
			e.Code = code.Number().String()
		}
		return &e
	}
	return &Error{Message: v.Text()}
}
