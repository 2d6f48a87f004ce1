package coretest

import (
	"fmt"
	"strings"

	"apex/core"
	"apex/core/sim"

	"github.com/cockroachdb/datadriven"
)

// Env is what one script works on.
type Env struct {
	World   *sim.World
	clients map[string]*sim.Client
	intents map[string]core.IntentID
	files   map[string]core.BufferID // by name, as first opened
	terms   map[string]core.TermID
	trace   strings.Builder
}

// New returns a session whose first record is durable, and nobody in it.
func New() (*Env, error) {
	w, err := sim.NewWorld()
	if err != nil {
		return nil, err
	}
	w.Settle()
	return &Env{World: w, clients: map[string]*sim.Client{}, intents: map[string]core.IntentID{},
		files: map[string]core.BufferID{}, terms: map[string]core.TermID{}}, nil
}

// Handle runs one command of a script and returns what it prints.
func (e *Env) Handle(d *datadriven.TestData) (string, error) {
	out, err := e.dispatch(d)
	switch {
	case e.World.Err != nil:
		return "", e.World.Err
	case err != nil:
		return fmt.Sprintf("%s: %v", core.CodeOf(err), err), nil
	case out == "":
		return "ok", nil
	}
	return strings.TrimRight(out, "\n"), nil
}

func (e *Env) dispatch(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "attach":
		return e.attach(d)
	case "connect", "leave", "cut", "notice", "flood", "takeback", "take", "renew", "recall", "give", "retry":
		return e.connection(d)
	case "up", "down":
		return e.move(d)
	case "settle", "tick":
		return e.pass(d)
	case "sync", "crash", "start", "faildisk", "rewrite":
		return e.disk(d)
	case "open", "type", "undo", "delete":
		return e.lead(d)
	case "bundle":
		return e.bundle(d)
	case "propose":
		return e.propose(d)
	case "results":
		return e.results(d)
	case "leases", "text", "windows", "agree":
		return e.state(d)
	case "ondisk":
		return e.onDisk(d)
	case "term":
		return e.term(d)
	}
	return "", fmt.Errorf("unknown command %q", d.Cmd)
}

// client returns the client that a command's first argument names.
func (e *Env) client(d *datadriven.TestData) *sim.Client {
	if len(d.CmdArgs) == 0 || e.clients[d.CmdArgs[0].Key] == nil {
		panic(fmt.Sprintf("%s: %s: the first argument names a client", d.Pos, d.Cmd))
	}
	return e.clients[d.CmdArgs[0].Key]
}

// arg returns an argument's value, or a default.
func arg[T any](d *datadriven.TestData, key string, value T) T {
	for _, a := range d.CmdArgs {
		if a.Key != key || len(a.Vals) != 1 {
			continue
		}
		if s, ok := any(&value).(*string); ok {
			*s = a.Vals[0]
		} else if _, err := fmt.Sscan(a.Vals[0], &value); err != nil {
			panic(fmt.Sprintf("%s: %s=%s: %v", d.Pos, key, a.Vals[0], err))
		}
	}
	return value
}

// traced returns what the trace says while f runs, if the command asks for it.
func (e *Env) traced(d *datadriven.TestData, f func()) string {
	if !d.HasArg("trace") {
		f()
		return ""
	}
	e.trace.Reset()
	e.World.Trace = &e.trace
	f()
	e.World.Trace = nil
	return e.trace.String()
}
