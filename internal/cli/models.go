package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/llm"
)

// modelJudges makes the judges that contracts name, from the operator's file of
// models. Each is made once, so that what it knows of its server lives as long as
// the process.
type modelJudges struct {
	app     *app
	path    string
	places  constraint.Places
	current func() *contract.Contract

	mu   sync.Mutex
	made map[contract.Judge]*model.Judge
}

const modelsHelp = "file that says which models judges are (default: models.yaml in the state directory)"

// models returns what makes the judges: from the file of --models, or that of the
// state directory. current is the contract in force, whose agents must not be able
// to write it.
func (a *app) models(s *state, path string, places constraint.Places, current func() *contract.Contract) gate.Models {
	if path == "" {
		path = filepath.Join(s.dir, models.FileName)
	}
	m := &modelJudges{app: a, path: path, places: places, current: current, made: map[contract.Judge]*model.Judge{}}
	return m.judge
}

// judge returns the judge of some settings. What follows its opinion is no part of
// it. One that could not be made is looked for again with the next call.
func (m *modelJudges) judge(s contract.Judge) (judge.Judge, error) {
	s.OnBlock, s.OnNoVerdict = 0, 0
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.made[s]
	if j == nil {
		var err error
		if j, err = m.make(s); err != nil {
			return nil, fmt.Errorf("the judge %s: %w", s.Model, err)
		}
		m.made[s] = j
	}
	if isTerminal(m.app.err) {
		return announced{j, m.app.err, s.Model}, nil
	}
	return j, nil
}

// announced is a judge that says on a terminal that it is being waited for.
type announced struct {
	by   judge.Judge
	err  io.Writer
	name string
}

// Digest implements judge.Judge.
func (a announced) Digest() string { return a.by.Digest() }

// slow is how long nothing is said about a judge that is asked.
const slow = 2 * time.Second

// Judge implements judge.Judge.
func (a announced) Judge(ctx context.Context, c judge.Case) judge.Opinion {
	t := time.AfterFunc(slow, func() { fmt.Fprintf(a.err, "asking the model %s …\n", a.name) })
	defer t.Stop()
	return a.by.Judge(ctx, c)
}

func (m *modelJudges) make(s contract.Judge) (*model.Judge, error) {
	file, err := m.read()
	if err != nil {
		return nil, err
	}
	policy, err := m.policy(file, s.Policy)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", gate.ErrPolicy, err)
	}
	main, err := file.Of(s.Model)
	if err != nil {
		return nil, err
	}
	o := model.Options{
		Name: fmt.Sprintf("%s %s %s %s", s.Model, main.Config.Provider, main.Config.Endpoint, main.Config.Model), Policy: policy, Votes: s.Votes, TwoStage: s.TwoStage,
		View:        model.View{Results: s.Results, NoFacts: s.NoFacts, NoSignals: s.NoSignals},
		Temperature: main.Temperature, MaxTokens: main.MaxTokens, Deadline: main.Config.Deadline,
		Now: time.Now, Nonce: model.RandomNonce,
	}
	if o.Main, err = m.client(main); err != nil {
		return nil, err
	}
	if main.Alternate != "" {
		if o.Alternate, err = m.client(file.Models[main.Alternate]); err != nil {
			return nil, fmt.Errorf("its alternate %s: %w", main.Alternate, err)
		}
	}
	return model.New(o)
}

// read reads the file of models, which agents must not be able to write.
func (m *modelJudges) read() (models.File, error) {
	text, err := m.readOwn(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return models.File{}, fmt.Errorf("there is no file of models %s: docs/judge.md says what stands in it; name another with --models", m.path)
	}
	if err != nil {
		return models.File{}, fmt.Errorf("the file of models: %w", err)
	}
	return models.Parse(m.path, text)
}

// readOwn reads a file of the operator's.
func (m *modelJudges) readOwn(path string) ([]byte, error) {
	if err := unreachable(path, m.places, []*contract.Contract{m.current()}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// beside returns a path that counts from the folder of the file of models.
func (m *modelJudges) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(m.path), path)
}

// policy returns the policy of a name: that of the operator, or the one that comes
// with licet.
func (m *modelJudges) policy(f models.File, name string) (model.Policy, error) {
	own, ok := f.Policies[name]
	if !ok {
		return model.PolicyOf(name)
	}
	text, err := m.readOwn(m.beside(own))
	if err != nil {
		return model.Policy{}, err
	}
	return model.NewPolicy(name, string(text))
}

// client returns the client of a model, with its key.
func (m *modelJudges) client(of models.Model) (*llm.Client, error) {
	c := of.Config
	var err error
	switch {
	case of.KeyEnv != "":
		c.Key, err = llm.EnvKey(m.app.environ, of.KeyEnv)
	case of.KeyFile != "" && m.places.Workspace != "":
		c.Key, err = llm.FileKey(m.beside(of.KeyFile), filepath.FromSlash(m.places.Workspace))
	case of.KeyFile != "":
		c.Key, err = llm.FileKey(m.beside(of.KeyFile))
	}
	if err != nil {
		return nil, err
	}
	return llm.New(c, llm.RealSystem())
}
