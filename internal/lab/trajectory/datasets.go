package trajectory

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// readTrace reads the plain form of calls with results, in which AgentDojo's
// ground truth stands and which is easily written by hand. An attacker's "goal" is
// a label and no turn of the user.
func readTrace(v toolcall.Value) ([]*Trajectory, error) {
	if err := closed(v, "a trace", "id", "prompt", "goal", "suite", "calls"); err != nil {
		return nil, err
	}
	b := newBuilder(v.Get("id").Text())
	if b.ID == "" {
		return nil, errors.New(`a trace needs an "id"`)
	}
	b.label("goal", v.Get("goal"))
	b.label("suite", v.Get("suite"))
	b.turn(v.Get("prompt").Text())
	return b.done(), b.calls(v.Get("calls"))
}

// readPair reads a user task of AgentDojo with an attacker's text in its results.
func readPair(v toolcall.Value) ([]*Trajectory, error) {
	if err := closed(v, "a pair", "user_task", "injection_task", "prompt", "goal", "vectors", "suite", "calls"); err != nil {
		return nil, err
	}
	b := newBuilder(v.Get("user_task").Text() + "/" + v.Get("injection_task").Text())
	for _, name := range []string{"user_task", "injection_task", "goal", "suite"} {
		b.label(name, v.Get(name))
	}
	b.turn(v.Get("prompt").Text())
	return b.done(), b.calls(v.Get("calls"))
}

func (b *builder) calls(list toolcall.Value) error {
	if list.Kind() != toolcall.Array {
		return errors.New(`it needs a list of "calls"`)
	}
	for i := range list.Len() {
		v := list.Elem(i)
		if err := closed(v, "a call", "tool", "args", "result", "error", "from"); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if v.Get("tool").Text() == "" {
			return fmt.Errorf(`call %d: a call needs a "tool"`, i)
		}
		if v.Get("args").Kind() != toolcall.Object {
			return fmt.Errorf(`call %d: a call needs an object "args"`, i)
		}
		c := b.call("", v.Get("tool").Text(), v.Get("args"))
		c.For = v.Get("from").Text()
		if result, failed := v.Get("result"), v.Get("error").Kind() == toolcall.String; result.Kind() == toolcall.String || failed {
			c.Result = &Result{Text: result.Text(), Failed: failed}
		}
	}
	return nil
}

// closed refuses what is no object or has other members than the named ones.
func closed(v toolcall.Value, what string, members ...string) error {
	if v.Kind() != toolcall.Object {
		return fmt.Errorf("%s is an object, not %s", what, v.Kind())
	}
	for i := range v.Len() {
		if name, _ := v.Member(i); !slices.Contains(members, name) {
			return fmt.Errorf("unknown member %q: %s has %q", name, what, members)
		}
	}
	return nil
}

// readRun reads a run log of AgentDojo or AgentDyn.
func readRun(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("path").Text())
	if b.ID == "" {
		parts := []string{v.Get("suite_name").Text(), v.Get("user_task_id").Text(), v.Get("injection_task_id").Text()}
		b.ID = strings.TrimSuffix(strings.Join(parts, "/"), "/")
	}
	for label, name := range map[string]string{
		"suite": "suite_name", "user_task": "user_task_id", "injection_task": "injection_task_id", "attack": "attack_type",
		"model": "pipeline_name", "utility": "utility", "security": "security",
	} {
		b.label(label, v.Get(name))
	}
	b.messages(v.Get("messages"))
	return b.done(), nil
}

// readTau reads a session of tau-bench. Its user is simulated.
func readTau(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("task_id").Canonical() + "/" + v.Get("trial").Canonical())
	b.label("reward", v.Get("reward"))
	b.messages(v.Get("traj"))
	return b.done(), nil
}

// readTauTask reads a task of tau-bench: the calls that solve it, of which the
// benchmark lists mostly those that change something, and none of their results. What
// its user is told to say stands for what the user wrote.
func readTauTask(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("id").Canonical())
	b.label("suite", v.Get("domain"))
	b.turn(v.Get("instruction").Text())
	return b.done(), b.calls(v.Get("ground_truth"))
}

// readToolEmu reads a trajectory of ToolEmu with its observations, which a model
// made up, and the risk that a model saw in it.
func readToolEmu(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("case").Text())
	b.label("risk", v.Get("safety").Get("ToolCallRisk"))
	b.turn(v.Get("user_instruction").Text())
	steps := v.Get("steps")
	for i := range steps.Len() {
		s := steps.Elem(i)
		args := s.Get("args")
		if args.Kind() != toolcall.Object {
			args = s.Get("args_raw")
		}
		c := b.call("", s.Get("tool").Text(), args)
		if s.Get("observation").Kind() == toolcall.String {
			c.Result = &Result{Text: s.Get("observation").Text()}
		}
	}
	return b.done(), nil
}

// readASSEBench reads a labelled conversation whose calls are names without
// arguments.
func readASSEBench(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("id").Canonical())
	for _, name := range []string{"label", "ambiguous", "risk_type"} {
		b.label(name, v.Get(name))
	}
	for i := range v.Get("contents").Len() {
		talk := v.Get("contents").Elem(i)
		for j := range talk.Len() {
			b.say(talk.Elem(j))
		}
	}
	return b.done(), nil
}

func (b *builder) say(m toolcall.Value) {
	switch role := m.Get("role").Text(); role {
	case "user":
		b.turn(m.Get("content").Text())
	case "environment":
		b.result("", m.Get("content").Text(), false)
	case "agent":
		action := m.Get("action").Text()
		tool, bare := strings.CutSuffix(action, "()")
		switch {
		case bare:
			b.call("", tool, toolcall.ObjectOf())
		case action != "":
			b.miss("action that is no name with empty brackets")
		}
	default:
		b.miss("message of %s", role)
	}
}

func isASB(v toolcall.Value) bool {
	return has("Attacker Tool")(v) || has("Tool Name")(v) || has("agent_name", "tasks")(v)
}

// readASB reads a line of Agent Security Bench: a tool, as one call without
// arguments, or the tasks of an agent, as turns without calls.
func readASB(v toolcall.Value) ([]*Trajectory, error) {
	if tasks := v.Get("tasks"); tasks.Kind() == toolcall.Array {
		var all []*Trajectory
		for i := range tasks.Len() {
			b := newBuilder(fmt.Sprintf("%s/%d", v.Get("agent_name").Text(), i))
			b.label("agent", v.Get("agent_name"))
			b.turn(tasks.Elem(i).Text())
			all = append(all, &b.Trajectory)
		}
		return all, nil
	}
	b := newBuilder(v.Get("Tool Name").Text() + v.Get("Attacker Tool").Text()) // one of them is absent
	b.label("agent", v.Get("Corresponding Agent"))
	b.label("goal", v.Get("Attack goal"))
	b.label("attack", v.Get("Attack Type"))
	b.call("", b.ID, toolcall.ObjectOf())
	return b.done(), nil
}
