package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Point is one decision: the stated probability that allow is right, and whether it
// is.
type Point struct {
	P     float64
	Allow bool
}

// Method is a way to fit.
type Method string

// The methods.
const (
	Isotonic Method = "isotonic" // any map that does not fall; wants more points
	Platt    Method = "platt"    // a sigmoid of two parameters
)

// Map makes a probability of a statement. Numbers are decimals with six digits, so
// that a map that was written and read is the same.
type Map struct {
	Method Method `json:"method"`
	Steps  []Step `json:"steps,omitempty"` // isotonic
	A      string `json:"a,omitempty"`     // Platt: 1/(1+exp(a*p+b))
	B      string `json:"b,omitempty"`
}

// Step is the probability of statements from a number on.
type Step struct {
	From string `json:"from"`
	P    string `json:"p"`
}

// Fit learns a map. It is an error if the points are all of one label.
func Fit(points []Point, method Method) (Map, error) {
	allow := 0
	for _, p := range points {
		if p.Allow {
			allow++
		}
	}
	if allow == 0 || allow == len(points) {
		return Map{}, fmt.Errorf("of %d points %d are to be allowed: there is nothing to learn from", len(points), allow)
	}
	switch method {
	case Isotonic:
		return isotonic(points), nil
	case Platt:
		a, b := platt(points, allow)
		return Map{Method: Platt, A: digits(a), B: digits(b)}, nil
	}
	return Map{}, fmt.Errorf("the method %q is not known: there are isotonic and platt", method)
}

// isotonic pools neighbours until no step falls. Equal statements are one step from
// the start.
func isotonic(points []Point) Map {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.P, b.P) })
	type block struct {
		from     float64
		allow, n int
	}
	var blocks []block
	for i, p := range points {
		one := block{from: p.P, n: 1}
		if p.Allow {
			one.allow = 1
		}
		if i > 0 && p.P == points[i-1].P {
			last := &blocks[len(blocks)-1]
			last.allow, last.n = last.allow+one.allow, last.n+1
			continue
		}
		blocks = append(blocks, one)
	}
	var up []block
	for _, b := range blocks {
		for len(up) > 0 && up[len(up)-1].allow*b.n >= b.allow*up[len(up)-1].n {
			last := up[len(up)-1]
			b = block{last.from, last.allow + b.allow, last.n + b.n}
			up = up[:len(up)-1]
		}
		up = append(up, b)
	}
	m := Map{Method: Isotonic}
	for _, b := range up {
		m.Steps = append(m.Steps, Step{digits(b.from), digits(float64(b.allow) / float64(b.n))})
	}
	return m
}

// platt fits a sigmoid by Newton's method with the line search of Lin and others.
// Targets are drawn in from 0 and 1, so that a perfect separation has a fit.
func platt(points []Point, allow int) (a, b float64) {
	yes, no := (float64(allow)+1)/(float64(allow)+2), 1/(float64(len(points)-allow)+2)
	loss := func(a, b float64) (sum float64) {
		for _, p := range points {
			t := no
			if p.Allow {
				t = yes
			}
			f := a*p.P + b
			// -t log(s) - (1-t) log(1-s) with s = 1/(1+exp(f)), without overflow
			sum += math.Max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))) - (1-t)*f
		}
		return sum
	}
	b = math.Log(float64(len(points)-allow+1) / float64(allow+1))
	for range 100 {
		h11, h22, h21, g1, g2 := 1e-12, 1e-12, 0.0, 0.0, 0.0
		for _, p := range points {
			t := no
			if p.Allow {
				t = yes
			}
			s := sigmoid(a*p.P + b)
			w, d := s*(1-s), t-s
			h11, h22, h21 = h11+p.P*p.P*w, h22+w, h21+p.P*w
			g1, g2 = g1+p.P*d, g2+d
		}
		if math.Abs(g1) < 1e-9 && math.Abs(g2) < 1e-9 {
			break
		}
		det := h11*h22 - h21*h21
		da, db := -(h22*g1-h21*g2)/det, -(-h21*g1+h11*g2)/det
		slope, step, now := g1*da+g2*db, 1.0, loss(a, b)
		for step > 1e-10 && loss(a+step*da, b+step*db) >= now+1e-4*step*slope {
			step /= 2
		}
		if step <= 1e-10 {
			break
		}
		a, b = a+step*da, b+step*db
	}
	return a, b
}

// sigmoid is 1/(1+exp(x)).
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(x)) }

// P returns the probability of a statement.
func (m Map) P(stated float64) float64 {
	if m.Method == Platt {
		return sigmoid(number(m.A)*stated + number(m.B))
	}
	p := number(m.Steps[0].P)
	for _, s := range m.Steps {
		// Steps were rounded: what lies within that of a step is on it.
		if number(s.From) > stated+5e-7 {
			break
		}
		p = number(s.P)
	}
	return p
}

// check refuses a map that is none.
func (m Map) check() error {
	texts := []string{m.A, m.B}
	switch {
	case m.Method == Isotonic && len(m.Steps) > 0 && m.A == "" && m.B == "":
		texts = nil
		for _, s := range m.Steps {
			texts = append(texts, s.From, s.P)
		}
	case m.Method == Platt && len(m.Steps) == 0:
	default:
		return fmt.Errorf("a map by %q with %d steps, a %q and b %q is none", m.Method, len(m.Steps), m.A, m.B)
	}
	for _, text := range texts {
		if x, err := strconv.ParseFloat(text, 64); err != nil || math.IsNaN(x) || math.IsInf(x, 0) || m.Method == Isotonic && (x < 0 || x > 1) {
			return fmt.Errorf("%q is no number of a map by %s", text, m.Method)
		}
	}
	for i := 1; i < len(m.Steps); i++ {
		if number(m.Steps[i].From) <= number(m.Steps[i-1].From) || number(m.Steps[i].P) < number(m.Steps[i-1].P) {
			return fmt.Errorf("the step from %s does not rise", m.Steps[i].From)
		}
	}
	return nil
}

// digits writes a number as files have it.
func digits(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }

// number reads what check has read before.
func number(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}
