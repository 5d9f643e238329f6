package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/modeljudge"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/llm"
)

// authgateModels makes the judges that are models, as the flags of a run say.
type authgateModels struct {
	app      *app
	flags    *authgateRunFlags
	manifest item.Manifest
	list     *models.File      // read when it is needed
	files    *modeljudge.Files // nil: servers are asked
	tape     *llm.Tape         // nil: nothing is recorded or replayed
}

// authgateModels opens the folder of --batch, or the tape of --record or --replay.
func (a *app) authgateModels(f *authgateRunFlags) (m *authgateModels, err error) {
	m = &authgateModels{app: a, flags: f}
	if f.batch != "" {
		m.files, err = modeljudge.OpenFiles(f.batch)
		return m, err
	}
	m.tape, err = tape(f.recordTo, f.replayFrom)
	return m, err
}

// close ends a recording. One of nothing is no tape, and would be in the way of the
// next.
func (m *authgateModels) close() error {
	if m.tape == nil {
		return nil
	}
	err := m.tape.Close()
	if info, statErr := os.Stat(m.flags.recordTo); statErr == nil && info.Size() == 0 {
		return errors.Join(err, os.Remove(m.flags.recordTo))
	}
	return err
}

// judge returns the judge of a name: a built-in one, or a model of the list.
func (m *authgateModels) judge(name string) (run.Judge, error) {
	if j, ok := run.BuiltIn(name); ok {
		return j, nil
	}
	if m.flags.list == "" {
		return nil, clikit.Usagef("--model %q: without --models there are %s", name, strings.Join(run.BuiltInNames(), ", "))
	}
	if m.list == nil {
		list, err := readModels(m.flags.list)
		if err != nil {
			return nil, err
		}
		m.list = &list
	}
	of, err := m.list.Of(name)
	if err != nil {
		return nil, clikit.Usagef("--model: %v", err)
	}
	if m.flags.money != "" && of.Config.Price == (llm.Price{}) {
		return nil, clikit.Usagef("--money: %s has no price for %s, so that it would stop nothing", m.flags.list, name)
	}
	o := modeljudge.Options{Name: name, Model: of, Checked: m.flags.scoring == "checked", Family: m.family(of.Config.Model)}
	m.warn(o)
	if m.files != nil {
		return modeljudge.NewOffline(o, m.files)
	}
	if !m.tape.Replays() {
		if o.Model.Config.Key, err = m.app.modelKey(m.flags.list, of); err != nil {
			return nil, err
		}
	}
	o.Model.Config.Patience, o.Model.Config.Tape = m.flags.patience, m.tape
	return modeljudge.New(o, llm.RealSystem())
}

// readModels reads a list of models.
func readModels(path string) (models.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return models.File{}, err
	}
	return models.Parse(path, text)
}

// modelKey finds the key of a model. A path counts from the list.
func (a *app) modelKey(list string, of models.Model) (llm.Key, error) {
	path := of.KeyFile
	switch {
	case of.KeyEnv != "":
		return llm.EnvKey(a.env, of.KeyEnv)
	case path == "":
		return llm.Key{}, nil
	case !filepath.IsAbs(path):
		path = filepath.Join(filepath.Dir(list), path)
	}
	return llm.FileKey(path)
}

// firstWord is what the name of a model begins with, behind the place that it comes
// from.
var firstWord = regexp.MustCompile(`^(?:.*/)?([a-z]*)`)

// family says who made a model: a family that wrote some of the data where it stands
// in the model's name, else what that name begins with.
func (m *authgateModels) family(name string) string {
	name = strings.ToLower(name)
	for _, g := range m.manifest.Generators {
		if family := strings.ToLower(g.Family); family != "" && strings.Contains(name, family) {
			return g.Family
		}
	}
	return firstWord.FindStringSubmatch(name)[1]
}

// warn says so where a model judges data of its own family.
func (m *authgateModels) warn(o modeljudge.Options) {
	rows := 0
	for _, g := range m.manifest.Generators {
		if g.Family == o.Family {
			rows += g.Rows
		}
	}
	if rows > 0 {
		fmt.Fprintf(m.app.err, "licet-lab: warning: %s is of the family %s, which wrote %d rows of the data: it may judge its own words\n", o.Name, o.Family, rows)
	}
}
