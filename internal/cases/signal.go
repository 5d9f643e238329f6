package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// signals reads what collectors would see of the environment, as collector.key: value.
// What is not said is unknown.
func (l *loader) signals(n *yamlwalk.Node) (all []constraint.Signal) {
	if n == nil || !l.Is(n, toolcall.Object, "signals, such as {git_state.dirty: 0}") {
		return nil
	}
	for _, m := range n.Members {
		collector, key, _ := strings.Cut(m.Key.Text, ".")
		keys := constraint.SignalKeys(collector)
		i := slices.IndexFunc(keys, func(k constraint.SignalKey) bool { return k.Key == key })
		if i < 0 {
			l.Report(m.Key, yamlwalk.DidYouMean(m.Key.Text, signalNames()), "%q is no signal: expected collector.key, see docs/signals.md", m.Key.Text)
			continue
		}
		if v, ok := l.signal(m.Value, keys[i]); ok {
			all = append(all, constraint.Signal{ID: fmt.Sprintf("s%d", len(all)+1), Collector: collector, Key: key, Value: v, Complete: true})
		}
	}
	return all
}

// signalForms say what stands behind a signal of each kind.
var signalForms = map[constraint.SignalKind]string{
	constraint.SignalCount: "a whole number", constraint.SignalFlag: "true or false", constraint.SignalWord: "a text", constraint.SignalNames: "a list of names",
}

// signal reads the value of one signal.
func (l *loader) signal(n *yamlwalk.Node, of constraint.SignalKey) (v toolcall.Value, ok bool) {
	if v, ok = l.Value(n); !ok {
		return v, false
	}
	switch of.Kind {
	case constraint.SignalCount:
		ok = v.Kind() == toolcall.Number && v.Number().IsInt() && v.Number().Sign() >= 0
	case constraint.SignalFlag:
		ok = v.Kind() == toolcall.Bool
	case constraint.SignalWord:
		ok = v.Kind() == toolcall.String
	case constraint.SignalNames:
		if ok = v.Kind() == toolcall.Array; ok {
			d, _ := toolcall.ParseDecimal(strconv.Itoa(v.Len())) // a whole number always is one
			v = toolcall.ObjectOf(toolcall.Member{Name: "count", Value: toolcall.NumberOf(d)}, toolcall.Member{Name: "names", Value: v})
		}
	}
	if !ok {
		l.Report(n, "", "%s is %s, found %s", of.Key, signalForms[of.Kind], n.Describe())
	}
	return v, ok
}

func signalNames() (all []string) {
	for _, collector := range constraint.SignalCollectors() {
		for _, k := range constraint.SignalKeys(collector) {
			all = append(all, collector+"."+k.Key)
		}
	}
	return all
}
