// Package notice prints the notices that hang at the desk.
package notice

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Desk is where notices are printed.
type Desk struct {
	Folder string
	Out    io.Writer
}

// Print prints the notice that somebody at the desk asked for by its title.
func (d Desk) Print(title string) error {
	text, err := os.ReadFile(filepath.Join(d.Folder, title))
	if err != nil {
		return fmt.Errorf("looking for a notice: %w", err)
	}
	return d.put(text)
}

// Welcome prints the notice that hangs at the door.
func (d Desk) Welcome() error {
	text, err := os.ReadFile(filepath.Join(d.Folder, "welcome.txt"))
	if err != nil {
		return fmt.Errorf("looking for the welcome: %w", err)
	}
	return d.put(text)
}

// put prints a text with a line below it.
func (d Desk) put(text []byte) error {
	_, err := fmt.Fprintf(d.Out, "%s\n----\n", text)
	return err
}
