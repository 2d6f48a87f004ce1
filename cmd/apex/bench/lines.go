package bench

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"apex/client"
	"apex/core"
	"apex/proto"
)

func ping(r *rig) (measured, error) {
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return measured{}, err
	}
	defer conn.Close()
	floor, err := r.roundTrip()
	if err != nil {
		return measured{}, err
	}
	return against(rounds, floor, func() error { return conn.Ping(r.ctx) })
}

// small starts a daemon with one small file open and a UI that leads it.
func (r *rig) small() (*client.Session, core.BufferID, error) {
	if err := r.startDaemon(); err != nil {
		return nil, 0, err
	}
	path, err := r.file("a.txt", 4096)
	if err != nil {
		return nil, 0, err
	}
	places, err := r.open(path)
	if err != nil {
		return nil, 0, err
	}
	s, err := r.lead(places[0].Buffer)
	return s, places[0].Buffer, err
}

func keyFollow(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	w, err := r.attach(core.AttachObserver)
	if err != nil {
		return measured{}, err
	}
	defer w.Close()
	if err := r.until(w, func() bool { return w.Knows(b.Shard()) }); err != nil {
		return measured{}, err
	}
	floor, err := r.roundTrip()
	if err != nil {
		return measured{}, err
	}
	return against(rounds, floor, func() error {
		s.Process()
		if err := key(s, b); err != nil {
			return err
		}
		want := s.Buffer(b).Version
		return r.until(w, func() bool { return w.Buffer(b).Version == want })
	})
}

func keyDurable(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	durable, err := r.durableFloor()
	if err != nil {
		return measured{}, err
	}
	return against(rounds/2, durable, func() error {
		if err := key(s, b); err != nil {
			return err
		}
		return r.until(s, func() bool { return s.State().Unsynced == 0 })
	})
}

func append100k(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	const entries, turns, batch = 100_000, 5, 4096
	both := func() (float64, error) {
		mine, err := cpu(os.Getpid())
		if err != nil {
			return 0, err
		}
		theirs, err := cpu(r.daemon.Process.Pid)
		return mine + theirs, err
	}
	before, err := both()
	if err != nil {
		return measured{}, err
	}
	for range turns {
		if err := r.flood(s, b, entries, batch); err != nil {
			return measured{}, err
		}
	}
	after, err := both()
	return measured{(after - before) / (entries * turns), 0, "ns"}, err
}

// flood types runes into a buffer, many to a batch, and waits until all are on disk.
func (r *rig) flood(s *client.Session, b core.BufferID, entries, batch int) error {
	buf := s.Buffer(b)
	v, q, g := buf.Version, buf.Text.Runes(), core.Group(buf.Version)+1
	for done := 0; done < entries; {
		n := min(batch, entries-done)
		ops := make([]core.Op, n)
		for i := range ops {
			ops[i] = core.Edit(v, q, q, "x", g)
			v++
			q++
		}
		if err := s.Commit(core.Bundle{Parts: []core.Part{{Shard: b.Shard(), Ops: ops}}}); err != nil {
			return err
		}
		done += n
	}
	return r.until(s, func() bool { return s.State().Unsynced == 0 })
}

func attach12mb(r *rig) (measured, error) {
	const size = 12 << 20
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	path, err := r.file("big.txt", size)
	if err != nil {
		return measured{}, err
	}
	places, err := r.open(path)
	if err != nil {
		return measured{}, err
	}
	b := places[0].Buffer
	floor, err := r.pour(size)
	if err != nil {
		return measured{}, err
	}
	us, err := p50(20, func() error {
		s, err := r.attach(core.AttachObserver)
		if err != nil {
			return err
		}
		defer s.Close()
		return r.until(s, func() bool { return s.Knows(b.Shard()) && s.Buffer(b) != nil })
	})
	return measured{us / 1000, floor, "ms"}, err
}

// hundred opens 100 MB of text in ten files and returns the first one's place.
func (r *rig) hundred() (proto.Place, error) {
	var paths []string
	for i := range 10 {
		p, err := r.file("file"+string(rune('0'+i))+".txt", 10<<20)
		if err != nil {
			return proto.Place{}, err
		}
		paths = append(paths, p)
	}
	places, err := r.open(paths...)
	if err != nil {
		return proto.Place{}, err
	}
	return places[0], nil
}

func readRange(r *rig) (measured, error) {
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	path, err := r.file("small.txt", 4096)
	if err != nil {
		return measured{}, err
	}
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return measured{}, err
	}
	defer conn.Close()
	if _, err := conn.NewSession(r.ctx, "empty", r.dir); err != nil {
		return measured{}, err
	}
	small, err := r.openIn("empty", path)
	if err != nil {
		return measured{}, err
	}
	large, err := r.hundred()
	if err != nil {
		return measured{}, err
	}
	read := func(session string, p proto.Place, at string) func() error {
		req := &proto.Read{Session: session, Win: p.Window.String(), Addr: at}
		return func() error {
			_, err := conn.Read(r.ctx, req)
			return err
		}
	}
	return against(rounds, read("empty", small[0], "20,29"), read("", large, "100000,100009"))
}

func restart(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	if err := r.flood(s, b, 1_000_000, 64); err != nil {
		return measured{}, err
	}
	s.Close()
	r.killDaemon()
	// The floor: reading the bytes of the state directory, several times, the best.
	var floor float64
	for i := range 5 {
		start := time.Now()
		if err := readTree(r.state()); err != nil {
			return measured{}, err
		}
		if t := time.Since(start).Seconds() * 1000; i == 0 || t < floor {
			floor = t
		}
	}
	start := time.Now()
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	return measured{time.Since(start).Seconds() * 1000, floor, "ms"}, nil
}

func readTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
}

func rss(r *rig) (measured, error) {
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	if _, err := r.hundred(); err != nil {
		return measured{}, err
	}
	// The figure is of a daemon that has come to rest: its smallest of some seconds.
	var best float64
	for i := range 40 {
		n, err := resident(r.daemon.Process.Pid)
		if err != nil {
			return measured{}, err
		}
		if i == 0 || n < best {
			best = n
		}
		time.Sleep(250 * time.Millisecond)
	}
	return measured{best / (1 << 20), 10 * 10, "MB"}, nil
}

// needs returns a skip if a program is missing.
func needs(program string) error {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if fi, err := os.Stat(filepath.Join(dir, program)); err == nil && fi.Mode()&0o111 != 0 {
			return nil
		}
	}
	return skip(strings.TrimSpace(program) + " is missing")
}
