package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
)

func (a *app) logCommand() *cobra.Command {
	var from uint64
	var verify bool
	c := &cobra.Command{
		Use:   "log SHARD",
		Short: "Print who wrote what, and when it was stored",
		Long: `Print a shard's log: who wrote which entry, and when it went to disk. SHARD is
meta, layout, notes, or a window's or buffer's id (w1.3, b1.2).

With --verify it prints no entry, but follows the log through everything that is
kept: every byte is read, each batch applied, and the chain's value held against
each place that has it. Exit status 1 says that something is wrong.`,
		Example: "  apex log b0.9 --json\n  apex log b0.9 --verify",
		Args:    args(1, 1),
	}
	c.Flags().Uint64Var(&from, "from", 1, "first sequence number")
	c.Flags().BoolVar(&verify, "verify", false, "verify the log instead of printing it")
	c.RunE = func(cmd *cobra.Command, argv []string) error {
		shard, err := parseShard(argv[0])
		if err != nil {
			return err
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
			if verify {
				return a.verifyLog(ctx, conn, shard)
			}
			return a.log(ctx, conn, shard, core.Seq(from))
		})(cmd, argv)
	}
	return a.jsonFlag(c)
}

// parseShard reads a shard's name, or the id of a window or buffer for short.
func parseShard(s string) (core.Shard, error) {
	if id, ok := core.ParseBufferID(s); ok && id != 0 {
		return id.Shard(), nil
	}
	if id, ok := core.ParseWindowID(s); ok && id != 0 {
		return id.Shard(), nil
	}
	if shard, ok := core.ParseShard(s); ok && shard.Kind.Journaled() {
		return shard, nil
	}
	if shard, ok := core.ParseShard(s); ok {
		return core.Shard{}, advise(usagef("%v has no log", shard),
			"`apex term read` prints what a terminal has printed, `apex term wait` waits for more")
	}
	return core.Shard{}, usagef(
		"shard %q: want meta, layout, notes, or an id such as b1.2 or w1.3", s)
}

// log prints a shard's log, piece by piece.
func (a *app) log(ctx context.Context, conn *client.Conn, shard core.Shard, from core.Seq) error {
	out := bufio.NewWriter(a.Out)
	p := printer{out: out, line: logLine}
	if a.json {
		p = printer{out: out, line: entry.Write, open: "[", sep: ",", close: "]\n"}
	}
	p.begin()
	for more := true; more; {
		got, err := conn.Log(ctx, a.session, shard, from, 0)
		if err != nil {
			return err
		}
		first := got.Last + 1
		if len(got.Batches) > 0 {
			first = got.Batches[0].Batch.First
		}
		if from = max(from, 1); first > from {
			p.print(gapOf(shard, from, first-1))
		}
		for _, s := range got.Batches {
			for _, e := range entry.Of(&s.Batch.Batch, from) {
				e.StoredAt = entry.Time(s.At)
				p.print(e)
			}
			from = s.Batch.Last() + 1
		}
		more = got.More && len(got.Batches) > 0
	}
	p.end()
	return out.Flush()
}

func gapOf(shard core.Shard, from, to core.Seq) entry.Gap {
	return entry.Gap{Shard: shard.String(), Gap: entry.Range{From: uint64(from), To: uint64(to)}}
}

// printer prints values one by one, in a list if it has brackets. Errors show when it is flushed.
type printer struct {
	out              *bufio.Writer
	line             func(io.Writer, any) error
	open, sep, close string
	n                int
}

func (p *printer) begin() { p.out.WriteString(p.open) }
func (p *printer) end()   { p.out.WriteString(p.close) }

func (p *printer) print(v any) {
	if p.n++; p.n > 1 {
		p.out.WriteString(p.sep)
	}
	p.line(p.out, v)
}

// logFields bounds what of an entry's fields is printed in a line for people, in bytes.
const logFields = 100

// logLine prints an entry for people.
func logLine(w io.Writer, v any) error {
	e, ok := v.(entry.Entry)
	if !ok {
		g := v.(entry.Gap)
		_, err := fmt.Fprintf(w, "%d to %d are no longer kept\n", g.Gap.From, g.Gap.To)
		return err
	}
	var b strings.Builder
	if err := entry.Write(&b, e.Fields); err != nil {
		return err
	}
	fields := strings.TrimSpace(b.String())
	if len(fields) > logFields {
		fields = strings.ToValidUTF8(fields[:logFields], "") + "..."
	}
	_, err := fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", e.Seq, e.StoredAt, e.Attachment,
		visible(e.Actor), e.Op, fields)
	return err
}
