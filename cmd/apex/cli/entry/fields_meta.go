package entry

import (
	"encoding/hex"

	"apex/core"
)

type sessionFields struct {
	Session string `json:"session"`
	Label   string `json:"label,omitempty"`
}

type identityFields struct {
	Session string `json:"session"`
	History string `json:"history"`
	Created string `json:"created"`
}

func identity(o *core.Identity) any {
	return identityFields{o.Session.String(), hex.EncodeToString(o.History[:]), Time(o.Created)}
}

type importedFields struct {
	Session string `json:"session"`
	History string `json:"history"`
	At      string `json:"at"`
}

func imported(o *core.Imported) any {
	return importedFields{o.Session.String(), hex.EncodeToString(o.History[:]), Time(o.At)}
}

type labelFields struct {
	Label string `json:"label"`
}

type placeFields struct {
	Dir string `json:"dir"`
}

type shardNewFields struct {
	Shard  string `json:"shard"`
	Holder string `json:"holder"`
	Epoch  uint64 `json:"epoch"`
}

type shardFields struct {
	Shard string `json:"shard"`
}

type attachFields struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Actor string `json:"actor"`
	Since string `json:"since"`
	Epoch uint64 `json:"epoch"`
}

// attach leaves the secret's hash out.
func attach(o *core.Attach) any {
	return attachFields{Attachment(o.ID), o.Kind.String(), o.Name, o.Actor, Time(o.Since),
		uint64(o.Epoch)}
}

type detachFields struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

type resumeFields struct {
	ID string `json:"id"`
}

type leaseRequestFields struct {
	Shard string `json:"shard"`
	By    string `json:"by"`
}

type leaseReleaseFields struct {
	Shard string `json:"shard"`
	At    uint64 `json:"at"`
}

type leaseTTLFields struct {
	Shard string `json:"shard"`
	By    string `json:"by"`
	TTL   uint64 `json:"ttl_ms"`
}

type leaseGrantFields struct {
	Shard string `json:"shard"`
	To    string `json:"to"`
	Epoch uint64 `json:"epoch"`
	At    uint64 `json:"at"`
}

func grant[G core.LeaseGrant | core.LeaseReclaim](g G) any {
	o := core.LeaseGrant(g)
	return leaseGrantFields{o.Shard.String(), Attachment(o.To), uint64(o.Epoch), uint64(o.At)}
}
