package desk

import "fmt"

// event is what a line tells of.
type event struct {
	kind kind
	why  string
}

// write writes a line of the log. That the log is full is no reason not to lend.
func (d *Desk) write(e event) {
	form := forms[e.kind]
	if e.why == "" {
		fmt.Fprintf(d.Log, form+"\n", d.Number)
		return
	}
	fmt.Fprintf(d.Log, form+"\n", d.Number, e.why)
}
