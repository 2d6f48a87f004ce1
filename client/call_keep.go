package client

import (
	"context"

	"apex/proto"
)

// Fsck verifies what is on disk of sessions that the daemon has.
func (r Requests) Fsck(ctx context.Context, req *proto.Fsck) (*proto.Checked, error) {
	return ask[*proto.Checked](ctx, r, req)
}

// Ended returns the sessions that have ended and are kept, the newest first.
func (r Requests) Ended(ctx context.Context) ([]proto.EndedSession, error) {
	reply, err := ask[*proto.EndedSessions](ctx, r, &proto.EndedList{})
	if err != nil {
		return nil, err
	}
	return reply.Sessions, nil
}

// Restore brings a session that has ended back, under another label if as is not empty. A label that
// is taken is exists.
func (r Requests) Restore(ctx context.Context, session, as string) (proto.SessionInfo, error) {
	return r.session(ctx, &proto.SessionRestore{Session: session, As: as})
}
