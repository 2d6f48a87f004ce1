package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

func (a *app) termSendCommand() *cobra.Command {
	var enter, paste bool
	c := &cobra.Command{
		Use:   "send T [TEXT | -] | -- TEXT",
		Short: "Type text into a terminal",
		Long: `Type text into a terminal, as it is, and return when the terminal has taken the bytes:
as long as its program does not read, that waits. Line ends become Return. With - it is
standard input, of any size, in order. Behind -- the text may begin with a dash, and T
may be left out before it.

With --paste the program is told, if it has asked for that, that it is a paste: editors
don't indent it, shells don't run it before Return; over 1 MiB it is several. --enter
adds the Enter key.`,
		Example: "  apex term send t0.7 --enter 'make test'\n  apex term send t0.7 --paste - < notes.txt",
	}
	c.Flags().BoolVar(&enter, "enter", false, "press Enter behind the text")
	c.Flags().BoolVar(&paste, "paste", false, "as a paste")
	c.RunE = func(c *cobra.Command, args []string) error {
		name, text, err := beforeDash(c, args)
		switch {
		case err != nil:
			return err
		case len(text) > 1:
			return usagef("%d texts: want one, in quotes if it has blanks", len(text))
		case len(text) == 0 && !enter:
			return usagef("nothing to send: want %s", c.UseLine())
		}
		var in io.Reader = strings.NewReader(first(text))
		if first(text) == "-" {
			in = a.In
		}
		req := proto.TermInput{Session: a.session, Kind: proto.InputText}
		if paste {
			req.Kind = proto.InputPaste
		}
		return a.onTerm(c, name, func(ctx context.Context, conn *client.Conn, term string) error {
			req.Term = term
			return send(ctx, conn, req, in, enter)
		})
	}
	return completes(c, a.terms())
}

// send types what a reader has into a terminal, piece by piece, each when the one before it was
// taken. Enter goes with the last.
func send(ctx context.Context, conn *client.Conn, req proto.TermInput, in io.Reader,
	enter bool) error {
	r := bufio.NewReaderSize(in, proto.InputMaxBytes)
	for {
		piece, err := r.Peek(proto.InputMaxBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		last := err != nil
		if !last {
			piece = whole(piece)
		}
		req.Text, req.Enter = piece, enter && last
		if len(piece) > 0 || req.Enter {
			if err := conn.Input(ctx, &req); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		if _, err := r.Discard(len(piece)); err != nil {
			return err
		}
	}
}

// whole cuts a piece so that neither a rune nor a line end of two bytes is divided.
func whole(piece []byte) []byte {
	n := len(piece)
	for i := 1; i < utf8.UTFMax && i <= n; i++ {
		if b := piece[n-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(piece[n-i:]) {
				n -= i
			}
			break
		}
	}
	if n > 1 && piece[n-1] == '\r' {
		n--
	}
	return piece[:n]
}
