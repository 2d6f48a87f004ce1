package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
)

// peerJSON is somebody who is in a session, in JSON.
type peerJSON struct {
	ID         string `json:"id"`
	Attachment string `json:"attachment"` // empty: an agent that only makes proposals
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Actor      string `json:"actor"`
	Since      string `json:"since"`
	Leads      bool   `json:"leads"`
	View       string `json:"view"`
	Q0         int    `json:"q0"`
	Q1         int    `json:"q1"`
	TTL        uint64 `json:"ttl_ms"` // what is left, if nothing is heard
}

func (a *app) whoCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "who",
		Short: "List who is in the session",
		Long: `List who is attached to the session, and which of them leads its layout; while a person is,
also the agents that made proposals in the last minute.`,
		Example: "  apex who -s work",
		Args:    noArgs,
		RunE:    a.ask(a.who),
	})
}

func (a *app) who(ctx context.Context, conn *client.Conn, _ []string) error {
	peers, err := conn.Who(ctx, a.session)
	if err != nil {
		return err
	}
	if a.json {
		out := make([]peerJSON, 0, len(peers))
		for _, p := range peers {
			attachment := ""
			if p.Attachment != 0 {
				attachment = entry.Attachment(p.Attachment)
			}
			out = append(out, peerJSON{p.ID, attachment, p.Kind.String(),
				p.Name, p.Actor, entry.Time(p.Since), p.Leads, entry.View(core.View(p.View)),
				p.Q0, p.Q1, uint64(p.TTL)})
		}
		return a.print(out)
	}
	var rows [][]string
	for _, p := range peers {
		rows = append(rows, []string{p.ID, p.Kind.String(), words(iff(p.Leads, "leads")),
			p.Actor, entry.Time(p.Since), strings.TrimSpace(p.Name)})
	}
	return a.table([]string{"ID", "KIND", "STATE", "ACTOR", "SINCE", "NAME"}, rows)
}
