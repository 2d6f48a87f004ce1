package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

func (a *app) textApplyCommand() *cobra.Command {
	var base, epoch uint64
	var policy string
	c := &cobra.Command{
		Use:   "apply WIN --base V",
		Short: "Apply edits to a window's text",
		Long: `Apply edits, given as JSON on standard input, to a window's text: a list of

  {"q0": 0, "q1": 3, "text": "x"}

each of which replaces runes [q0, q1) of version V by the text. They are in order
and don't overlap. All of them are applied, as one step of undo, or none.

If the text has moved on since V, the status is 4 and the current version is
printed. With --on-conflict rebase the edits are moved past what was changed
since, if none of them touches it.`,
		Example: `  echo '[{"q0":0,"q1":0,"text":"hello "}]' | apex text apply notes.txt --base 3`,
		Args:    args(1, 1),
	}
	c.Flags().Uint64Var(&base, "base", 0, "version that the edits were made against")
	c.Flags().StringVar(&policy, "on-conflict", "fail", "fail or rebase")
	epochFlag(c, &epoch)
	c.RunE = func(cmd *cobra.Command, argv []string) error {
		if !cmd.Flags().Changed("base") {
			return usagef("--base is missing: want the version that `apex text info` prints")
		}
		on := core.ConflictFail
		switch policy {
		case "fail":
		case "rebase":
			on = core.ConflictRebase
		default:
			return usagef("--on-conflict %s: want fail or rebase", policy)
		}
		in, err := a.readAll(inputMaxBytes)
		if err != nil {
			return err
		}
		edits, err := parseEdits(in)
		if err != nil {
			return err
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
			r, err := a.proposeAt(ctx, conn, args[0], epoch, &core.AskEdit{Base: core.Version(base),
				OnConflict: on, Edits: edits})
			return a.outcome(r, err)
		})(cmd, argv)
	}
	return a.jsonFlag(c)
}

// outcomeJSON is how a change ended, in JSON.
type outcomeJSON struct {
	Outcome string   `json:"outcome"`
	Version uint64   `json:"version"`
	Hash    string   `json:"hash,omitempty"`
	Seqs    []uint64 `json:"seqs"` // first and last entry; empty if there was nothing to change
	Epoch   uint64   `json:"epoch,omitempty"`
	Shard   string   `json:"shard,omitempty"`
}

func outcomeOf(r *core.Result) outcomeJSON {
	out := outcomeJSON{Outcome: string(r.Outcome), Version: uint64(r.Version), Seqs: []uint64{},
		Epoch: uint64(r.Epoch)}
	if r.Hash != (core.Hash{}) {
		out.Hash = r.Hash.String()
	}
	if r.Shard.Valid() {
		out.Shard = r.Shard.String()
	}
	if r.First > 0 {
		out.Seqs = []uint64{uint64(r.First), uint64(r.Last)}
	}
	return out
}

// outcome prints how a change of a text ended. One that did not happen is a conflict.
func (a *app) outcome(r core.Result, err error) error {
	if err != nil {
		return err
	}
	var failed error
	switch r.Outcome {
	case core.NeedsMerge:
		failed = core.Errorf(core.CodeConflict,
			"conflict_requires_merge: the text is at version %d", r.Version)
	case core.RejectedFence:
		failed = core.Errorf(core.CodeFenced, "rejected_fenced: the lease is at epoch %d", r.Epoch)
	}
	if a.json {
		err = a.print(outcomeOf(&r))
	} else {
		err = a.say("%s version %d", r.Outcome, r.Version)
	}
	if failed != nil {
		return &told{advise(failed,
			"read version %d and make the edits again, or try --on-conflict rebase", r.Version)}
	}
	if err != nil {
		return fmt.Errorf("applied as version %d, but not told: %w", r.Version, err)
	}
	return nil
}
