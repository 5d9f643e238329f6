package sandbox

import (
	"fmt"
	"os/exec"
	"time"
)

// DefaultABI is the version of Landlock that is asked for where none is named.
const DefaultABI = 7

// EnterWord is what [Box.Self] is followed by where it is to call [Enter].
const EnterWord = "enter"

// Box is how commands are run.
type Box struct {
	Self []string // this program, and the words by which it calls Enter after EnterWord
	ABI  int      // of Landlock; 0 = DefaultABI
	Off  Off
}

// Off is what a box lacks. It is for tests: anything but the zero value is a box
// that a check must find broken.
type Off struct {
	Mounts       bool `json:"mounts"`       // the machine's files can be seen
	ReadOnly     bool `json:"readonly"`     // paths can be written to
	Network      bool `json:"network"`      // the machine's interfaces
	PIDs         bool `json:"pids"`         // the machine's processes
	CPU          bool `json:"cpu"`          // limits, one by one
	Memory       bool `json:"memory"`       //
	Processes    bool `json:"processes"`    //
	Files        bool `json:"files"`        //
	FileSize     bool `json:"filesize"`     //
	Descriptors  bool `json:"descriptors"`  // those that this program inherited stay open
	Landlock     bool `json:"landlock"`     //
	Strict       bool `json:"strict"`       // as much of Landlock as there is will do
	Seccomp      bool `json:"seccomp"`      //
	Capabilities bool `json:"capabilities"` //
	NoNewPrivs   bool `json:"nonewprivs"`   //
	User         bool `json:"user"`         // stays root
	Environment  bool `json:"environment"`  // of this program is handed on

	Calls []string `json:"calls"` // system calls that seccomp lets through
	Holes []Path   `json:"holes"` // paths that are let in beside those of the plan
}

// Path is a file or folder of the machine that a command sees under the same name.
type Path struct {
	Name  string `json:"name"`
	Write bool   `json:"write"`
}

// Limits bound a command. Nothing is without bound: each must be over zero.
type Limits struct {
	Wall      time.Duration `json:"-"`         // is for who waits
	CPU       int64         `json:"cpu"`       // seconds, of one process
	Memory    int64         `json:"memory"`    // bytes of one process; see AddressSpace
	Temporary int64         `json:"temporary"` // bytes in the private folder
	FileSize  int64         `json:"file_size"` // bytes of one file
	Processes int64         `json:"processes"` // with their threads
	Files     int64         `json:"files"`     // open at a time, of one process
}

// AddressSpace is how many bytes a process can map. It is more than the Memory that
// it can write to: Go reserves much that it never touches, and so do C's threads.
func (l Limits) AddressSpace() int64 { return 2 * l.Memory }

// Toy bounds a toy.
var Toy = Limits{
	CPU: 2, Wall: 5 * time.Second, Memory: 1 << 30, Temporary: 1 << 20,
	FileSize: 64 << 10, Processes: 16, Files: 32,
}

// Build bounds what builds and tests a tree.
var Build = Limits{
	CPU: 60, Wall: 60 * time.Second, Memory: 4 << 30, Temporary: 512 << 20,
	FileSize: 64 << 20, Processes: 256, Files: 256,
}

// Unbounded is what no limit is for, to be told with the layers. A control group would
// bound it; none is used.
const Unbounded = "memory is bounded for each process, and not for all of them together: no control group is used"

// maxOutput bounds what is kept of each of standard output and error, in bytes; what
// a command writes beyond it is dropped.
const maxOutput = 4 << 20

// Command is what runs.
type Command struct {
	Args   []string // Args[0] is a path
	Dir    string   // where it starts; "" = the private folder
	Env    []string
	Input  []byte // on standard input
	Paths  []Path // what it sees; nothing else is there
	Folder string // an empty folder of the machine, absolute; see [Temporary]
	Limits Limits
	Fatal  bool // a system call that seccomp refuses kills, so that it is seen
}

// Temporary is the name of the private folder of a command with this Folder.
func Temporary(folder string) string { return folder + "/tmp" }

// Result is how a command ended.
type Result struct {
	Exit     int           // -1 = it was killed
	TimedOut bool          // it was stopped: its time was over, or the context was
	Killed   bool          // by a signal; where it was not stopped, by a limit or its own trouble
	Refused  bool          // by seccomp
	Outlived bool          // something that it started held on to its output after the end
	CPU      time.Duration // that it used, with what it started
	Stdout   []byte
	Stderr   []byte
}

// Missing is what this machine lacks for a sandbox, or for what is to run in it: the
// name of a layer or of a program. Nothing was run.
type Missing struct {
	Layer string
	Err   error
}

func (m *Missing) Error() string { return fmt.Sprintf("the sandbox lacks %s: %v", m.Layer, m.Err) }

// Unwrap returns the cause.
func (m *Missing) Unwrap() error { return m.Err }

// abi is the version of Landlock that is asked for.
func (b Box) abi() int {
	if b.ABI == 0 {
		return DefaultABI
	}
	return b.ABI
}

// Layers names the layers around a command, in the order in which they are put on.
func (b Box) Layers() []string {
	var layers []string
	for _, l := range []struct {
		off  bool
		name string
	}{
		{b.Off.Network || b.Off.PIDs, "namespaces"},
		{b.Off.Mounts || b.Off.ReadOnly || len(b.Off.Holes) > 0, "mounts"},
		{b.Off.CPU || b.Off.Memory || b.Off.Processes || b.Off.Files || b.Off.FileSize, "limits"},
		{b.Off.Descriptors, "descriptors"},
		{b.Off.Landlock || b.Off.Strict, fmt.Sprintf("landlock %d", b.abi())},
		{b.Off.Seccomp || len(b.Off.Calls) > 0, "seccomp"},
		{b.Off.Capabilities || b.Off.NoNewPrivs, "capabilities"},
		{b.Off.User, "user"},
		{b.Off.Environment, "environment"},
	} {
		if !l.off {
			layers = append(layers, l.name)
		}
	}
	return layers
}

// valid says what a command lacks.
func (c Command) valid() error {
	l := c.Limits
	if len(c.Args) == 0 || c.Folder == "" {
		return fmt.Errorf("a sandboxed command needs arguments and a folder: %w", exec.ErrNotFound)
	}
	if l.CPU <= 0 || l.Wall <= 0 || l.Memory <= 0 || l.Temporary <= 0 || l.FileSize <= 0 || l.Processes <= 0 || l.Files <= 0 {
		return fmt.Errorf("a sandboxed command without a bound: %+v", l)
	}
	return nil
}
