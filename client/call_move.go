package client

import (
	"context"
	"io"

	"apex/proto"
)

// Export writes a session to w, as one portable file.
func (r Requests) Export(ctx context.Context, session string, w io.Writer) error {
	req := &proto.Export{Session: session}
	for {
		piece, err := ask[*proto.Piece](ctx, r, req)
		if err != nil {
			return err
		}
		if _, err := w.Write(piece.Bytes); err != nil {
			return err
		}
		if piece.Last {
			return nil
		}
		req = &proto.Export{Transfer: piece.Transfer}
	}
}

// Import makes a session of what Export wrote, under another label if label is not empty. On an error
// there is no session.
func (r Requests) Import(ctx context.Context, in io.Reader, label string) (proto.SessionInfo, error) {
	req := &proto.Import{Label: label}
	for {
		req.Bytes = make([]byte, proto.PieceMaxBytes)
		n, err := io.ReadFull(in, req.Bytes)
		req.Bytes, req.Last = req.Bytes[:n], err != nil
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return proto.SessionInfo{}, err
		}
		if req.Last {
			break
		}
		piece, err := ask[*proto.Piece](ctx, r, req)
		if err != nil {
			return proto.SessionInfo{}, err
		}
		req = &proto.Import{Transfer: piece.Transfer}
	}
	return r.session(ctx, req)
}
