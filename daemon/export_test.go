package daemon_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/journal"
	"apex/proto"
)

// exported is a session as one file.
func exported(t *testing.T, c *daemontest.Client, session string) []byte {
	t.Helper()
	var out []byte
	for req := (&proto.Export{Session: session}); ; {
		p := daemontest.Must[*proto.Piece](c, req)
		if out = append(out, p.Bytes...); p.Last {
			return out
		}
		req = &proto.Export{Transfer: p.Transfer}
	}
}

// imported makes a session of a file.
func imported(c *daemontest.Client, file []byte, label string) (proto.SessionInfo, error) {
	req := &proto.Import{Label: label}
	for len(file) > proto.PieceMaxBytes {
		req.Bytes, file = file[:proto.PieceMaxBytes], file[proto.PieceMaxBytes:]
		reply, err := c.Call(req)
		if err != nil {
			return proto.SessionInfo{}, err
		}
		req = &proto.Import{Transfer: reply.(*proto.Piece).Transfer}
	}
	req.Bytes, req.Last = file, true
	reply, err := c.Call(req)
	if err != nil {
		return proto.SessionInfo{}, err
	}
	return reply.(*proto.Sessions).Sessions[0], nil
}

// states are the canonical hashes of a session's shards, of what an exported file says of them.
func states(t *testing.T, file []byte) map[string]core.ShardState {
	t.Helper()
	a, err := journal.NewArchiveReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]core.ShardState{}
	for {
		key, _, err := a.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		name, is := bytes.CutPrefix([]byte(key), []byte("state/"))
		if !is {
			continue
		}
		b, err := io.ReadAll(a)
		if err != nil {
			t.Fatal(err)
		}
		st, err := core.ReadSnapshot(b)
		if err != nil {
			t.Fatal(err)
		}
		out[string(name)] = st
	}
}

// What is exported and imported, by the same daemon and by another one, has every shard as it was:
// text, undo history, layout. The metalog has another identity and nobody attached, and counters that
// go on. It is a session that works.
func TestExportImport(t *testing.T) {
	d, other := daemontest.Start(t), daemontest.Start(t)
	longSession(t, d, "work")
	ui := d.Attach(core.AttachUI, "work", "human:ann")
	ui.Lead(core.LayoutShard)
	conn := d.Dial()
	file := exported(t, conn, "work")
	was := states(t, file)
	for i, to := range []*daemontest.Client{conn, other.Dial()} {
		label := fmt.Sprintf("copy%d", i)
		if _, err := imported(to, file, label); err != nil {
			t.Fatal(err)
		}
		again := exported(t, to, label)
		is := states(t, again)
		if len(is) != len(was) || len(was) < 8 {
			t.Fatalf("%d states became %d", len(was), len(is))
		}
		for key, a := range was {
			b := is[key]
			if key == "meta" {
				importedMeta(t, a.Meta(), b.Meta(), label)
				continue
			}
			if a.Hash() != b.Hash() || a.Mark != b.Mark {
				t.Errorf("%s: %v became %v", key, &a, &b)
			}
		}
		checked := daemontest.Must[*proto.Checked](to, &proto.Fsck{Session: label})
		if len(checked.Sessions[0].Findings) > 0 {
			t.Errorf("fsck of the copy: %+v", checked)
		}
		log := daemontest.Must[*proto.Logged](to, &proto.Log{Session: label, Shard: proto.Shard(core.MetaShard)})
		if len(log.Batches) == 0 || log.Gap {
			t.Errorf("the copy's log has %d batches, a gap: %v", len(log.Batches), log.Gap)
		}
	}
	c := other.Dial()
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: "copy1", Win: "work.txt",
		Proposal: core.Proposal{Ask: &core.AskUndo{}}})
	other.Stop()
	other.Run()
	if got := text(t, other.Dial(), "copy1", "work.txt"); got == "" {
		t.Error("the copy's text is gone after a restart")
	}
}

func importedMeta(t *testing.T, a, b *core.Meta, label string) {
	t.Helper()
	if b.Identity.Session == a.Identity.Session || b.Identity.History == a.Identity.History ||
		b.Identity.Created != a.Identity.Created || b.Label != label {
		t.Errorf("the identity %+v became %+v, labelled %s", a.Identity, b.Identity, b.Label)
	}
	if len(a.Attachments) == 0 || len(b.Attachments) != 0 {
		t.Errorf("%d attachments became %d", len(a.Attachments), len(b.Attachments))
	}
	if b.NextAttach != a.NextAttach || b.ServerNext < a.ServerNext || b.MaxEpoch <= a.MaxEpoch {
		t.Errorf("counters went from %d, %d, %d to %d, %d, %d", a.NextAttach, a.ServerNext, a.MaxEpoch,
			b.NextAttach, b.ServerNext, b.MaxEpoch)
	}
	if !slices.Equal(a.Shards, b.Shards) {
		t.Errorf("the shards %v became %v", a.Shards, b.Shards)
	}
	for _, l := range b.Leases {
		if l.Holder != core.Server {
			t.Errorf("%v is led by %d", l.Shard, l.Holder)
		}
	}
}

// Neither the secret that resumes an attachment nor the environment is in the file.
func TestExportHasNoSecrets(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	const value = "a-value-that-nobody-else-has"
	daemontest.Must[*proto.Done](c, &proto.EnvSet{Session: "work",
		Vars: []proto.EnvVar{{Name: "TOKEN", Value: value}}})
	p := d.Attach(core.AttachTool, "work", "agent:x")
	file := exported(t, d.Dial(), "work")
	secret := p.R.Hello().Resume.Secret
	if bytes.Contains(file, secret[:]) {
		t.Error("a resume secret is in the file")
	}
	if bytes.Contains(file, []byte(value)) {
		t.Error("the environment is in the file")
	}
}

// A file that is cut anywhere, or of which any byte is another, makes no session and leaves nothing.
func TestImportOfDamage(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	daemontest.Must[*proto.Opened](c, &proto.Open{Session: "work", Name: "a", HasText: true,
		Text: []byte("some text\n")})
	conn := d.Dial()
	file := exported(t, conn, "work")
	refuse := func(what string, b []byte) {
		t.Helper()
		_, err := imported(conn, b, "copy")
		if code := core.CodeOf(err); code != core.CodeBadRequest {
			t.Errorf("%s: %v", what, err)
		}
	}
	for at := 0; at < len(file); at += 1 + len(file)/60 {
		refuse(fmt.Sprintf("cut at %d", at), file[:at])
		if at >= 8 && at < 12 {
			continue // the version: a newer one
		}
		refuse(fmt.Sprintf("flipped at %d", at), flipped(file, at))
	}
	refuse("with something behind it", append(slices.Clone(file), 0))
	newer := slices.Clone(file)
	newer[8]++
	if _, err := imported(conn, newer, "copy"); core.CodeOf(err) !=
		core.CodeVersion {
		t.Errorf("a newer version's: %v", err)
	}
	if _, err := imported(conn, file, "work"); core.CodeOf(err) !=
		core.CodeExists {
		t.Errorf("a label that is taken: %v", err)
	}
	left := append(entries(t, filepath.Join(d.State, "importing")), entries(t, filepath.Join(d.State, "sessions"))...)
	if len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// A client that goes away in the middle of an import leaves nothing, and its transfer is free again.
func TestImportCutOff(t *testing.T) {
	d := daemontest.Start(t)
	longSession(t, d, "work")
	file := exported(t, d.Dial(), "work")
	for range 10 { // more than may be under way at a time
		c := d.Dial()
		p := daemontest.Must[*proto.Piece](c, &proto.Import{Bytes: file[:1<<20]})
		daemontest.Must[*proto.Piece](c, &proto.Import{Transfer: p.Transfer, Bytes: file[1<<20 : 2<<20]})
		c.Net.Close()
		again := d.Dial()
		for {
			_, err := again.Call(&proto.Import{Transfer: p.Transfer})
			if core.CodeOf(err) == core.CodeNotFound {
				break // it is of another connection, or over
			}
			t.Fatalf("somebody else's transfer: %v", err)
		}
	}
	conn := d.Dial()
	for {
		_, err := imported(conn, file, "copy")
		if err == nil {
			break
		}
		if core.CodeOf(err) != core.CodeBusy {
			t.Fatal(err)
		}
	}
	d.Stop()
	if left := entries(t, filepath.Join(d.State, "importing")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A hostile file is right in every sum, and its states are not what a daemon writes. It is refused by
// code, or is a session that can be looked at and ended; the daemon goes on either way.
func TestImportOfHostileStates(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	path := writeFile(t, "a.txt", "some text\nand more\n")
	daemontest.Must[*proto.Opened](c, &proto.Open{Session: "work", Files: []proto.File{{Path: path}}})
	ui := d.Attach(core.AttachUI, "work", "human:ann")
	ui.Lead(core.LayoutShard)
	conn := d.Dial()
	file := exported(t, conn, "work")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	took := 0
	for range 400 {
		s, err := imported(conn, mutated(t, file, r), "copy")
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeBadRequest && code != core.CodeVersion &&
				code != core.CodeTooLarge {
				t.Fatalf("refused as %s: %v", code, err)
			}
			continue
		}
		took++
		for _, q := range []proto.Request{&proto.Windows{Session: s.Label}, &proto.Who{Session: s.Label},
			&proto.Read{Session: s.Label, Win: "a.txt"}, &proto.Info{Session: s.Label, Win: "a.txt"},
			&proto.ProposeIn{Session: s.Label, Win: "a.txt",
				Proposal: core.Proposal{Ask: &core.AskSet{Text: "x"}}},
			&proto.Open{Session: s.Label, Name: "b", HasText: true, Text: []byte("b")}} {
			_, _ = c.Call(q) // any answer is right
		}
		p := d.Attach(core.AttachTool, s.Label, "agent:x")
		p.Net.Close()
		daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: s.Label, Force: true})
		if err := os.RemoveAll(filepath.Join(d.State, "ended")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 400 were taken", took)
}

// mutated is an exported file in which one state has a few other bytes, and all sums are right.
func mutated(t *testing.T, file []byte, r *rand.Rand) []byte {
	t.Helper()
	a, err := journal.NewArchiveReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	type part struct {
		key  string
		data []byte
	}
	var parts []part
	for {
		key, _, err := a.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(a)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{key, data})
	}
	p := &parts[r.IntN(len(parts))]
	for range 1 + r.IntN(3) {
		if len(p.data) > 0 {
			p.data[r.IntN(len(p.data))] = byte(r.Uint32())
		}
	}
	var out bytes.Buffer
	w := journal.NewArchiveWriter(&out)
	for _, p := range parts {
		if err := w.Part(p.key, int64(len(p.data)), func(w io.Writer) error {
			_, err := w.Write(p.data)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
