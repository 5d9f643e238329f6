package years

import "fmt"

// String writes a span, as "1901-1903" or, of one year, "1901".
func (s Span) String() string {
	if s.From == s.To {
		return fmt.Sprint(s.From)
	}
	return fmt.Sprintf("%d-%d", s.From, s.To)
}
