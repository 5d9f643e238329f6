package cli

import (
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
	list     *models.File // read when it is needed
	files    *modeljudge.Files
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
		text, err := os.ReadFile(m.flags.list)
		if err != nil {
			return nil, err
		}
		list, err := models.Parse(m.flags.list, text)
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
	if o.Model.Config.Key, err = m.key(of); err != nil {
		return nil, err
	}
	o.Model.Config.Patience = m.flags.patience
	return modeljudge.New(o, llm.RealSystem())
}

// key finds the key of a model. A path counts from the list.
func (m *authgateModels) key(of models.Model) (llm.Key, error) {
	path := of.KeyFile
	switch {
	case of.KeyEnv != "":
		return llm.EnvKey(m.app.env, of.KeyEnv)
	case path == "":
		return llm.Key{}, nil
	case !filepath.IsAbs(path):
		path = filepath.Join(filepath.Dir(m.flags.list), path)
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
