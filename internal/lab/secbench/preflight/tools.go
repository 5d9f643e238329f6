package preflight

import (
	"context"
	"fmt"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// benchTools are the bench's own, as a model calls them.
type benchTools struct{}

func (benchTools) Read(ctx context.Context, workspace, name string) error {
	return do(ctx, workspace, task.ReadFile, struct {
		Path  string `json:"path"`
		Start int    `json:"start"`
		End   int    `json:"end"`
	}{name, 1, 1})
}

func (benchTools) Write(ctx context.Context, workspace, name string) error {
	return do(ctx, workspace, task.WriteScratch, struct {
		Path     string `json:"path"`
		Bytes    string `json:"bytes"`
		Encoding string `json:"encoding"`
	}{name, "written", "utf8"})
}

func do(ctx context.Context, workspace, name string, arguments any) error {
	args, err := trace.ValueOf(arguments)
	if err != nil {
		return err
	}
	session, err := tool.Open("preflight", workspace, &task.Fixture{Task: &task.Task{}}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	result, err := session.Do(ctx, 1, name, args)
	if err == nil && result.Status != trace.StatusOK {
		err = fmt.Errorf("%s: %s", result.Status, result.Code)
	}
	return err
}
