package review

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// maxLine bounds a line that somebody types, in bytes.
const maxLine = 16 << 10

// Wishes of who is asked: to stop here, to answer the row before anew, and to label
// nothing more for now, as who only rules and confirms does.
var (
	errEnd  = errors.New("end")
	errBack = errors.New("back")
	errSkip = errors.New("skip")
)

// Ask hands out what there is to do at a terminal of width columns (0 is 80), until
// nothing is left, the reviewer stops, or ctx ends. What is asked is answered by
// letters and Enter; nothing depends on colour.
func (d *Desk) Ask(ctx context.Context, in io.Reader, out io.Writer, width int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := &terminal{desk: d, ctx: ctx, typed: make(chan string), out: out, width: min(max(cmp.Or(width, 80), 40), 100)}
	go t.read(in)
	err := t.work()
	if errors.Is(err, errEnd) {
		err = nil
	}
	if err != nil {
		return err
	}
	todo, err := d.Todo()
	if err != nil {
		return err
	}
	t.say("")
	t.say(fmt.Sprintf("%s has labelled %d, and has %d to label, %d to rule on and %d to confirm. What was said to be saved is on disk; the same command goes on from there.", todo.Who.Name, todo.Labelled, len(todo.Label), len(todo.Rule), len(todo.Confirm)))
	return t.lost
}

type terminal struct {
	desk  *Desk
	ctx   context.Context // of the one call of Ask that this is for
	typed chan string     // lines; closed at the end of the input
	ended error           // why the input ended, once typed is closed
	out   io.Writer
	width int
	done  []string // keys of rows that were labelled here, the last at the end
	skip  bool     // what is to be labelled
	lost  error    // of the output
}

// read hands on what is typed. It may be left behind where nobody waits for it any
// more: a read from a terminal cannot be stopped.
func (t *terminal) read(in io.Reader) {
	defer close(t.typed)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		select {
		case t.typed <- lines.Text():
		case <-t.ctx.Done():
			return
		}
	}
	t.ended = lines.Err()
}

// next returns the next line, or errEnd where there is none.
func (t *terminal) next() (string, error) {
	select {
	case text, more := <-t.typed:
		if !more {
			return "", cmp.Or(t.ended, errEnd)
		}
		return strings.TrimSpace(text), nil
	case <-t.ctx.Done():
		return "", errEnd
	}
}

// work does what is to be done, one after the other.
func (t *terminal) work() error {
	for t.lost == nil {
		todo, err := t.desk.Todo()
		if err != nil {
			return err
		}
		switch {
		case len(todo.Label) > 0 && !t.skip:
			err = t.label(todo.Label[0], fmt.Sprintf("Row to label, %d left", len(todo.Label)))
			if err == nil {
				t.done = append(t.done, todo.Label[0])
			}
		case len(todo.Rule) > 0:
			err = t.rule(todo.Rule[0], len(todo.Rule))
		case len(todo.Confirm) > 0:
			err = t.confirm(todo.Confirm[0], len(todo.Confirm))
		default:
			t.say("Nothing else is left for you now. Conflicts and pairs come when others have labelled, too.")
			return nil
		}
		switch {
		case errors.Is(err, errSkip):
			t.skip, err = true, nil
		case errors.Is(err, errBack):
			err = t.back()
		case errors.Is(err, ErrClosed): // others have answered while this was asked
			t.say("Not saved, as it is not needed any more: others have answered.")
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return t.lost
}

// back answers the row before anew.
func (t *terminal) back() error {
	if len(t.done) == 0 {
		t.say("There is nothing before this.")
		return nil
	}
	err := t.label(t.done[len(t.done)-1], "The row before, once more")
	switch {
	case errors.Is(err, ErrClosed):
		t.say("The row before is final: two people have labelled its pair.")
		return nil
	case errors.Is(err, errBack):
		t.done = t.done[:len(t.done)-1]
		return t.back()
	}
	return err
}

// say prints a text in lines that fit.
func (t *terminal) say(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range item.Wrap(strings.Fields(line), t.width) {
			t.line(part)
		}
	}
}

// point prints a text in lines that fit, all but the first indented.
func (t *terminal) point(text string) {
	for n, part := range item.Wrap(strings.Fields(text), t.width-2) {
		t.line(map[bool]string{false: "  "}[n == 0] + part)
	}
}

// line prints a line as it is.
func (t *terminal) line(text string) {
	if _, err := fmt.Fprintln(t.out, clikit.Printable(text)); err != nil && t.lost == nil {
		t.lost = err
	}
}

// indented prints text of others behind a mark, each of its lines on its own.
func (t *terminal) indented(mark, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		t.line(mark + line)
	}
}

// ask asks until an answer fits, and returns what take made of it.
func ask[T any](t *terminal, question string, take func(string) (T, error)) (answer T, err error) {
	for {
		if _, err := fmt.Fprintf(t.out, "%s ", question); err != nil {
			return answer, err
		}
		text, err := t.next()
		if err != nil {
			t.line("")
			return answer, err
		}
		switch text {
		case "q":
			return answer, errEnd
		case "-":
			return answer, errBack
		case "?":
			t.say(guidance)
		default:
			answer, err := take(text)
			if err == nil {
				return answer, nil
			}
			t.say(fmt.Sprintf("That is no answer: %v. ? explains, - goes back to the row before, s leaves labelling for later, q ends.", err))
		}
	}
}

// oneOf takes one of some words, or its first letter.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if text == w || text == w[:1] {
				return w, nil
			}
		}
		return "", fmt.Errorf("%q is none of %s", text, strings.Join(words, ", "))
	}
}

// aReason takes words in which somebody says why.
func aReason(text string) (string, error) {
	return text, (&item.Confirmation{Why: text}).Check()
}

// mode asks in which way the action goes too far.
func (t *terminal) mode() (string, error) {
	for n, m := range modes {
		t.point(fmt.Sprintf("%d %s: %s", n+1, m.Title, m.What))
	}
	return ask(t, "How does it go too far? [1-5]", func(text string) (string, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(modes) {
			return "", fmt.Errorf("%q is no number from 1 to %d", text, len(modes))
		}
		return string(modes[n-1].Mode), nil
	})
}

// yes asks a question about which there is nothing but yes and no.
func (t *terminal) yes(question string) (bool, error) {
	said, err := ask(t, question+" [y/n]", oneOf("yes", "no"))
	return said == "yes", err
}

// label asks for the label of a row and saves it.
func (t *terminal) label(key, title string) error {
	b, err := t.desk.Blind(key)
	if err != nil {
		return err
	}
	t.heading(title)
	t.visible(&b.Visible, b.Observations)
	a, err := t.answer(key, &b.Visible)
	if err != nil {
		return err
	}
	return t.saved(t.desk.Label(a, b.Version), a.Gold, a.Mode, a.Quote, map[bool]string{false: "not plausible"}[a.Plausible])
}

// answer asks for one label.
func (t *terminal) answer(key string, v *item.Visible) (a item.Answer, err error) {
	a.Key = key
	if a.Gold, err = ask(t, "Should this action run now: allow, block, or unsure? [a/b/u, ? - s q]", oneOf("allow", "block", item.Unsure, "skip")); err != nil {
		return a, err
	}
	switch a.Gold {
	case "skip":
		return a, errSkip
	case string(item.Block):
		a.Mode, err = t.mode()
	case string(item.Allow):
		a.Quote, err = ask(t, "Which words of the user allow it? All of them, or FIRST WORDS ... LAST WORDS:", func(text string) (string, error) {
			text = between(v, text)
			return text, item.Answer{Gold: a.Gold, Quote: text}.Check(v)
		})
	}
	if err != nil {
		return a, err
	}
	a.Plausible, err = t.yes("Could a person have asked this, and an agent have come to it?")
	return a, err
}

// between returns the words of the user from the first to the last ones, where text
// has ... between them: what was wrapped cannot be copied in one piece.
func between(v *item.Visible, text string) string {
	first, last, both := strings.Cut(text, " ... ")
	for _, turn := range v.Request {
		from := strings.Index(turn.Text, first)
		if !both || from < 0 {
			continue
		}
		if length := strings.Index(turn.Text[from+len(first):], last); length >= 0 {
			return turn.Text[from : from+len(first)+length+len(last)]
		}
	}
	return text
}

// saved says what of an answer is on disk now, if there was no error.
func (t *terminal) saved(err error, said ...string) error {
	if err == nil {
		said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
		t.say("Saved: " + strings.Join(said, ", ") + ".")
	}
	return err
}

func (t *terminal) heading(title string) {
	t.line("")
	t.line("== " + title + " " + strings.Repeat("=", max(2, t.width-4-len(title))))
}

// visible prints what may be seen of a row.
func (t *terminal) visible(v *item.Visible, observed []item.BlindObservation) {
	t.line("the user said:")
	for _, turn := range v.Request {
		for line := range strings.SplitSeq(turn.Text, "\n") {
			for _, part := range item.Wrap(strings.Fields(line), t.width-2) {
				t.line("> " + part)
			}
		}
	}
	t.line("the agent did before:")
	for _, s := range v.Trajectory {
		t.indented("  ", callText(s.Tool, s.Args))
		if s.Result != nil {
			t.indented("    ", *s.Result)
		}
	}
	t.line("and wants to do now:")
	t.indented("  ", callText(v.Action.Tool, v.Action.Args))
	if v.Action.Cwd != "" {
		t.line("  in " + v.Action.Cwd)
	}
	t.line("checks of the environment say:")
	for _, o := range observed {
		least := map[bool]string{false: "at least "}[o.Complete]
		t.line(fmt.Sprintf("  %s.%s %s%s", o.Collector, o.Key, least, o.Value))
	}
	t.line("")
}

// rule asks for a ruling and saves it.
func (t *terminal) rule(id string, left int) error {
	c, err := t.desk.Conflict(id)
	if err != nil {
		return err
	}
	t.heading(fmt.Sprintf("Conflict to rule on, %d left: %s", left, id))
	t.visible(&c.Visible, c.Observations)
	t.say(fmt.Sprintf("The data set says %s (%s): %s", c.Label.Gold, c.Instance.Mode, c.Label.Rationale))
	for _, clash := range c.Clashes {
		t.point("- " + clash.What)
	}
	said := item.Ruling{Instance: id}
	if said.Decision, err = ask(t, "Which label is right: allow, block, or drop the pair? [a/b/d, ? q]", oneOf("allow", "block", item.Drop)); err != nil {
		return err
	}
	if said.Decision == string(item.Block) {
		if said.Mode, err = t.mode(); err != nil {
			return err
		}
	}
	if said.Why, err = ask(t, "Why?", aReason); err != nil {
		return err
	}
	return t.saved(t.desk.Rule(said, c.Version), said.Decision, said.Mode, said.Why)
}

// confirm asks whether a pair holds together, and saves the answer.
func (t *terminal) confirm(id string, left int) error {
	p, err := t.desk.Pair(id)
	if err != nil {
		return err
	}
	t.heading(fmt.Sprintf("Pair to confirm, %d left", left))
	if err := t.desk.show(t.out, id, t.width); err != nil {
		return err
	}
	t.line("")
	if !p.SameCalls() {
		t.say("The calls shown are those of the base row; another row of the pair has others. `licet-lab authgate validate` says which.")
	}
	said := item.Confirmation{Pair: id}
	for n, to := range []*bool{&said.SameAction, &said.OnlyRequest, &said.SignalsFit} {
		if *to, err = t.yes(questions[n].Text); err != nil {
			return err
		}
	}
	if !said.Confirms() {
		if said.Why, err = ask(t, "Why not?", aReason); err != nil {
			return err
		}
	}
	return t.saved(t.desk.Confirm(said, p.Version), map[bool]string{true: "confirmed", false: "not confirmed"}[said.Confirms()], said.Why)
}

// show prints a pair side by side.
func (d *Desk) show(out io.Writer, pair string, width int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return item.Show(out, d.set, pair, width)
}
