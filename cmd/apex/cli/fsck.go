package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"apex/core"
	"apex/daemon"
	"apex/daemon/paths"
	"apex/proto"
)

// checkJSON is what was verified of a session, in JSON.
type checkJSON struct {
	Label       string        `json:"label"`
	ID          string        `json:"id"`
	Ended       bool          `json:"ended"`
	Generations int           `json:"generations"`
	Bytes       int64         `json:"bytes"`
	Records     int           `json:"records"`
	Snapshots   int           `json:"snapshots"`
	Compared    int           `json:"compared"`
	Live        bool          `json:"live"`
	Findings    []findingJSON `json:"findings"`
	Notes       []string      `json:"notes"`
}

type findingJSON struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Shard  string `json:"shard"`
	What   string `json:"what"`
}

func (a *app) fsckCommand() *cobra.Command {
	var ended bool
	c := &cobra.Command{
		Use:   "fsck [SESSION]",
		Short: "Verify what is on disk of the sessions",
		Long: `Verify what is on disk of all sessions, or of one, and change nothing: every byte
of every generation of the journal, that each snapshot can be read, that the records
lead from each to the next one, and that no number could be given out twice. A
daemon that runs is asked, and holds its memory against the disk too; else the
files are read here, and none can start meanwhile. SESSION is a label or the first digits of an id.

Each finding has the file and the offset in it. Exit status 1 says that something is
wrong. What a write that was cut off leaves at a journal's end looks as a damaged
last record does, and is a finding too; a daemon sets it aside as it starts.`,
		Example: "  apex fsck --ended --json",
		Args:    args(0, 1),
	}
	c.Flags().BoolVar(&ended, "ended", false, "sessions that have ended too")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		req := &proto.Fsck{Ended: ended}
		if len(args) == 1 {
			req.Session = args[0]
		}
		got, err := a.fsck(cmd.Context(), req)
		if err != nil {
			return err
		}
		return a.printChecks(got)
	}
	return a.jsonFlag(c)
}

// fsck asks the daemon, or does it if none runs.
func (a *app) fsck(ctx context.Context, req *proto.Fsck) (*proto.Checked, error) {
	conn, err := a.dial(ctx, false)
	if err == nil {
		defer conn.Close()
		got, err := conn.Fsck(ctx, req)
		return got, a.answered(conn, err)
	}
	if core.CodeOf(err) != core.CodeUnavailable {
		return nil, err
	}
	p, perr := a.paths()
	if perr != nil {
		return nil, perr
	}
	if _, err := os.Stat(p.State); err != nil {
		return nil, core.Errorf(core.CodeNotFound, "there are no sessions: %v", err)
	}
	lock, lerr := paths.Acquire(p.State) // so that none starts meanwhile
	var held *paths.HeldError
	if errors.As(lerr, &held) {
		return nil, err // the daemon that has it does not answer
	}
	if lerr != nil {
		return nil, lerr
	}
	defer lock.Release()
	return daemon.Fsck(p.State, req)
}

// printChecks prints what was found, and fails if anything is wrong.
func (a *app) printChecks(got *proto.Checked) error {
	wrong := 0
	for i := range got.Sessions {
		wrong += len(got.Sessions[i].Findings)
	}
	var err error
	if a.json {
		err = a.print(checksJSON(got))
	} else {
		for i := range got.Sessions {
			if err = a.printCheck(&got.Sessions[i]); err != nil {
				break
			}
		}
	}
	if err == nil && wrong > 0 {
		err = &statusError{exitFailed}
	}
	return err
}

func (a *app) printCheck(c *proto.SessionCheck) error {
	name := visible(c.Label)
	if name == "" {
		name = visible(c.ID)
	}
	state := "whole"
	if n := len(c.Findings); n > 0 {
		state = fmt.Sprintf("%d wrong", n)
	}
	memory := iff(c.Live, ", and the daemon's memory")
	err := a.say("%s: %s: %d bytes in %d generations, %d records, %d snapshots, %d compared%s", name, state,
		c.Bytes, c.Generations, c.Records, c.Snapshots, c.Compared, memory)
	for _, f := range c.Findings {
		if err == nil {
			err = a.say("  %s", visible(findingLine(&f)))
		}
	}
	for _, n := range c.Notes {
		if err == nil {
			err = a.say("  note: %s", visible(n))
		}
	}
	return err
}

// findingLine is a finding for people: where it is, then what.
func findingLine(f *proto.Finding) string {
	var parts []string
	if f.File != "" {
		where := fmt.Sprintf("%s: offset %d", f.File, f.Offset)
		if f.Length > 0 {
			where += fmt.Sprintf(", %d bytes", f.Length)
		}
		parts = append(parts, where)
	}
	if f.Shard != "" {
		parts = append(parts, "shard "+f.Shard)
	}
	return strings.Join(append(parts, f.What), ": ")
}

func checksJSON(got *proto.Checked) []checkJSON {
	out := make([]checkJSON, 0, len(got.Sessions))
	for _, c := range got.Sessions {
		j := checkJSON{Label: c.Label, ID: c.ID, Ended: c.Ended, Generations: c.Generations, Bytes: c.Bytes,
			Records: c.Records, Snapshots: c.Snapshots, Compared: c.Compared, Live: c.Live,
			Findings: []findingJSON{}, Notes: append([]string{}, c.Notes...)}
		for _, f := range c.Findings {
			j.Findings = append(j.Findings, findingJSON(f))
		}
		out = append(out, j)
	}
	return out
}
