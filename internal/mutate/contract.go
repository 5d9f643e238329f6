package mutate

import (
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// contract lists the changes of a whole contract. It was loaded before, so its
// tree has the shape of one.
func (l *lister) contract() {
	labels := place{}.key("labels")
	for _, m := range members(l.root.Get("labels")) {
		l.entries(KindLabels, labels.key(m.Key.Text))
	}
	for _, m := range members(l.root.Get("agents")) {
		l.agent(place{}.key("agents").key(m.Key.Text))
	}
	l.approvals(place{}.key("approvals"))
	l.judge(place{}.key("judge"))
}

func members(n *yamlwalk.Node) []yamlwalk.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// agent lists the changes of one agent.
func (l *lister) agent(at place) {
	n := at.from(l.root)
	if n.Get("mode") == nil {
		l.add(ShadowMode, KindMode, at.key("mode"), textNode("shadow"))
	}
	for _, m := range members(n.Get("tools")) {
		l.tool = m.Key.Text
		l.rule(at.key("tools").key(l.tool))
	}
	l.tool = ""
	l.limits(at.key("limits"))
}

// approvals lists the changes of how held calls are answered.
func (l *lister) approvals(at place) {
	n := at.from(l.root)
	if n == nil {
		return
	}
	if e := n.Get("expire"); e != nil {
		l.add(DropApproval, KindApprovals, at.key("expire"), textNode(scaled(e.Text, 2)))
	}
	l.panel(KindApprovals, at.key("approvers"), at.key("quorum"))
}

// judge lists the changes of what follows where the judge does not allow.
func (l *lister) judge(at place) {
	if at.from(l.root) == nil {
		return
	}
	for _, word := range []string{"on_block", "on_no_verdict"} {
		if n := at.key(word).from(l.root); n == nil || n.Text == "block" {
			l.add(SwapEffect, KindJudge, at.key(word), textNode("approve"))
		}
	}
}

// panel lists the changes of who answers and how many must agree.
func (l *lister) panel(kind string, approvers, quorum place) {
	if approvers.from(l.root) != nil {
		l.add(DropApproval, kind, approvers, nil)
		l.entries(kind, approvers)
	}
	if q := quorum.from(l.root); q != nil && q.Text != "1" {
		l.add(DropApproval, kind, quorum, numberNode(moved(q.Text, -1, 1)))
	}
}

// effects are the words that may stand in place of a rule of one word.
var effects = map[string][]string{"allow": {"approve", "block"}, "judge": {"allow", "approve", "block"}, "approve": {"allow", "block"}, "block": {"allow", "approve"}}

// rule lists the changes of one tool's rule.
func (l *lister) rule(at place) {
	n := at.from(l.root)
	if n.Kind == toolcall.String {
		for _, word := range effects[n.Text] {
			l.add(SwapEffect, KindClause, at, textNode(word))
		}
		return
	}
	if n.Get("extra_arguments") == nil {
		l.add(Extra, KindExtra, at.key("extra_arguments"), textNode("allow"))
	} else {
		l.add(Extra, KindExtra, at.key("extra_arguments"), nil)
	}
	for _, word := range []string{"never", "allow", "judge", "approve"} {
		for i := range len(texts(n.Get(word))) {
			l.clause(at, word, i)
		}
	}
	l.limits(at.key("limits"))
}

// otherEffect says where a clause goes whose effect is swapped.
var otherEffect = map[string]string{"allow": "approve", "judge": "allow", "approve": "allow"}

// clause lists the changes of one clause of a rule.
func (l *lister) clause(rule place, word string, i int) {
	n, at := rule.from(l.root), rule.key(word).item(i)
	clause := at.from(l.root)
	without := with(n, word, nil)
	if list := n.Get(word); len(list.Items) > 1 {
		rest := listNode(append(append([]*yamlwalk.Node{}, list.Items[:i]...), list.Items[i+1:]...)...)
		without = with(n, word, rest)
	}
	if without.Get("allow") == nil && without.Get("judge") == nil && without.Get("approve") == nil {
		l.told(DropClause, at, "dropped, so the tool is blocked", rule, textNode("block"))
	} else {
		l.told(DropClause, at, "dropped", rule, without)
	}
	if to := otherEffect[word]; to != "" {
		moved := clause
		for _, panel := range []string{"$approvers", "$quorum"} {
			moved = with(moved, panel, nil)
		}
		l.told(SwapEffect, at, "moved to "+to, rule, with(without, to, and(n.Get(to), moved)))
	}
	l.panel(KindApprovers, at.key("$approvers"), at.key("$quorum"))
	for _, m := range clause.Members {
		switch c := at.key(m.Key.Text); {
		case m.Key.Text == "$approvers", m.Key.Text == "$quorum":
		case strings.HasPrefix(m.Key.Text, "$"):
			l.condition(m.Key.Text, c, word == "never")
		default:
			l.argument(c, word == "never")
		}
	}
}

// condition lists the changes of what stands beside a word with $.
func (l *lister) condition(word string, at place, never bool) {
	l.add(Drop, word, at, nil)
	n := at.from(l.root)
	if word == "$when" {
		for _, text := range relaxed(n.Text) {
			l.add(Weaken, word, at, textNode(text))
		}
		return
	}
	for _, m := range n.Members {
		c := at.key(m.Key.Text)
		if len(n.Members) > 1 {
			l.add(Drop, word, c, nil)
		}
		if word == "$signal" {
			l.bound(Widen, word, c.key("max"), 1)
			l.bound(Widen, word, c.key("min"), -1)
			continue
		}
		if m.Key.Text == "distinct" {
			l.bound(Widen, word, c.key("max"), 1)
		} else {
			l.entries(word, c)
		}
	}
}

// relaxed returns a CEL expression with each of its operators in turn replaced
// by one that holds more often, or in another place. What does not compile is
// left out later.
func relaxed(text string) (all []string) {
	for _, swap := range [][2]string{{"&&", "||"}, {"||", "&&"}, {" < ", " <= "}, {" <= ", " < "}, {" > ", " >= "}, {" >= ", " > "}, {"==", "!="}, {"!=", "=="}} {
		for at := 0; ; {
			i := strings.Index(text[at:], swap[0])
			if i < 0 {
				break
			}
			at += i
			all = append(all, text[:at]+swap[1]+text[at+len(swap[0]):])
			at += len(swap[0])
		}
	}
	return all
}

// limits lists the changes of a list of limits.
func (l *lister) limits(at place) {
	n := at.from(l.root)
	if n == nil {
		return
	}
	for i := range n.Items {
		l.limit(at.item(i))
	}
}

// limit lists the changes of one limit.
func (l *lister) limit(at place) {
	n := at.from(l.root)
	l.add(LiftLimit, KindLimit, at, nil)
	bound := "calls"
	if n.Get("sum") != nil {
		bound = "max"
	}
	l.bound(LiftLimit, KindLimit, at.key(bound), 1)
	per := n.Get("per")
	if per.Text == "session" {
		l.add(LiftLimit, KindLimit, at.key("per"), textNode("1s"))
	} else {
		l.add(LiftLimit, KindLimit, at.key("per"), textNode(scaled(per.Text, 0.5)))
	}
	if by := n.Get("by"); by == nil && per.Text == "session" {
		// counted by session as it is
	} else if by == nil {
		l.add(LiftLimit, KindLimit, at.key("by"), listNode(textNode("agent"), textNode("session")))
	} else {
		l.entries(KindLimit, at.key("by"))
	}
	if n.Get("over") == nil {
		l.add(LiftLimit, KindLimit, at.key("over"), textNode("approve"))
	} else {
		l.add(LiftLimit, KindLimit, at.key("over"), nil)
	}
}

// entries lists the changes that take one entry out of a list: what a list does
// not name any more is refused, or in `never` and after ! let through.
func (l *lister) entries(kind string, at place) {
	for i, item := range at.from(l.root).Items {
		op := DropEntry
		if strings.HasPrefix(item.Text, "!") {
			op = DropExcluded
		}
		l.add(op, kind, at.item(i), nil)
	}
}
