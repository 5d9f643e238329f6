package desk

// kind is what an event is.
type kind int

// kinds of events.
const (
	lent kind = iota
	refused
	back
	odd
)

// forms are how lines look.
var forms = map[kind]string{
	lent:    "desk %d: lent",
	refused: "desk %d: loan refused (%s)",
	back:    "desk %d: back",
	odd:     "desk %d: back, but never lent (%s)",
}
