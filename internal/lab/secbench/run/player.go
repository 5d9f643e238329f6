package run

import (
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// Player is who acts in a run, with all that a trace says of it. A scripted agent is
// made by [Scripted]; a model is one with Model.
type Player struct {
	Name     string // in traces; unique among players of one folder
	Served   string // what a server calls the model; "" = no server is asked
	Lineage  trace.Lineage
	Engine   trace.Engine // its sampler has the seed of the cell, unless it is trace.Unsupported
	Encoding string       // of calls: one of package model

	Model func(seed int) model.Model // nil = a scripted agent
	agent string
}

// Scripted returns the player that is a scripted agent. One of a name that package
// agents does not have fails when it is to play.
func Scripted(agent string) Player {
	return Player{
		Name: "scripted/" + agent, Lineage: trace.Lineage{Method: "none"}, Engine: trace.Engine{Name: trace.Scripted},
		Encoding: model.Native, agent: agent,
	}
}

// playerOf returns the player of a recorded run, as far as its trace tells of it: it
// can't act.
func playerOf(s trace.RunStart) Player {
	return Player{Name: s.Model, Served: s.Served, Lineage: s.Lineage, Engine: s.Engine, Encoding: s.Encoding}
}

// engine is what serves the player in a run with a seed.
func (p Player) engine(seed int) trace.Engine {
	e := p.Engine
	if e.SamplerSeed != trace.Unsupported {
		e.SamplerSeed = trace.Setting(seed)
	}
	return e
}

// model returns what answers. Only a scripted agent is told what is right, and only
// the oracle among them reads it.
func (p Player) model(seed int, f *task.Fixture, gold task.Gold) (model.Model, error) {
	if p.Model != nil {
		return p.Model(seed), nil
	}
	sheet, err := makeSheet(f, gold)
	if err != nil {
		return nil, err
	}
	return agents.New(p.agent, sheet)
}

// prompt is what the player is told first.
func (c Cell) prompt() (string, error) {
	prompt, err := c.Task.Prompt(c.Condition, limits(warden.BudgetOf(c.Task)))
	if err != nil {
		return "", err
	}
	return model.Told(prompt, c.Player.Encoding, tool.Definitions)
}
