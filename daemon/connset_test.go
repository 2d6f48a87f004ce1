package daemon

import (
	"net"
	"testing"

	"apex/core"
)

// Clients get at most half of the descriptors.
func TestConnLimit(t *testing.T) {
	for _, tt := range []struct {
		descriptors uint64
		want        int
	}{{0, minConns}, {256, 64}, {1 << 20, maxConns}, {1<<64 - 1, maxConns}} {
		if got := connLimit(tt.descriptors); got != tt.want {
			t.Errorf("of %d descriptors %d clients, want %d", tt.descriptors, got, tt.want)
		}
	}
}

// Past the limit, and when no more are wanted, a connection is not taken; one that ends makes room.
func TestConnSet(t *testing.T) {
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := &connSet{limit: 1, open: map[*conn]bool{}}
	dial := func(id core.ConnID) (*conn, net.Conn) {
		client, daemon := net.Pipe()
		return newConn(d, id, 0, daemon), client
	}
	first, client := dial(1)
	second, other := dial(2)
	defer other.Close()
	if !x.serve(first) || x.serve(second) {
		t.Error("want one connection to be served")
	}
	client.Close()
	x.wait()
	third, client := dial(3)
	if x.count() != 0 || !x.serve(third) {
		t.Error("a connection that ended keeps its place")
	}
	client.Close()
	x.shut()
	if x.wait(); x.serve(second) {
		t.Error("a connection is served after all were to end")
	}
}
