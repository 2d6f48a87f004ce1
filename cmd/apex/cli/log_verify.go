package cli

import (
	"context"
	"fmt"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// verifiedJSON is how far a shard's log was followed, in JSON.
type verifiedJSON struct {
	Shard       string        `json:"shard"`
	From        uint64        `json:"from"` // the first entry that is kept; 0: none is
	To          uint64        `json:"to"`
	Batches     int           `json:"batches"`
	Generations int           `json:"generations"`
	Proofs      int           `json:"proofs"` // places at which the chain's value is on record
	Chain       string        `json:"chain"`
	Live        bool          `json:"live"`
	Findings    []findingJSON `json:"findings"`
	Notes       []string      `json:"notes"`
}

// verifyLog follows a shard's log through everything that is kept, and says what was verified.
func (a *app) verifyLog(ctx context.Context, conn *client.Conn, shard core.Shard) error {
	got, err := conn.Fsck(ctx, &proto.Fsck{Session: a.session, Shard: proto.Shard(shard)})
	if err != nil {
		return err
	}
	c := &got.Sessions[0]
	if c.Log == nil || c.Log.To == 0 && len(c.Findings) == 0 {
		return core.Errorf(core.CodeNotFound, "no shard %v", shard)
	}
	if a.json {
		j := verifiedJSON{shard.String(), uint64(c.Log.From), uint64(c.Log.To), c.Log.Batches, c.Generations,
			c.Log.Proofs, c.Log.Chain.String(), c.Live, checksJSON(got)[0].Findings,
			append([]string{}, c.Notes...)}
		err = a.print(j)
	} else {
		err = a.sayVerified(shard, c)
	}
	if err == nil && len(c.Findings) > 0 {
		err = &statusError{exitFailed}
	}
	return err
}

func (a *app) sayVerified(shard core.Shard, c *proto.SessionCheck) error {
	kept := "its entries are no longer kept"
	if c.Log.From > 0 {
		kept = "its oldest entry that is kept is " + fmt.Sprint(c.Log.From)
	}
	memory := iff(c.Live, ", and is what the daemon has in memory")
	err := a.say("%v: entry %s has chain %v%s", shard, fmt.Sprint(c.Log.To), c.Log.Chain, memory)
	if err == nil {
		err = a.say("%s; %d batches in %d generations were followed, past %d marks on record", kept,
			c.Log.Batches, c.Generations, c.Log.Proofs)
	}
	for _, f := range c.Findings {
		if err == nil {
			err = a.say("  %s", visible(findingLine(&f)))
		}
	}
	return err
}
