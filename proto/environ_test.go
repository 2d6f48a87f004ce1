package proto

import (
	"fmt"
	"testing"
)

func TestEnvironment(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "TERM=x", "TOKEN=t=1", "PATH=/usr/bin",
		"APEX_ENV=TOKEN,OTHER", "=odd", "SSH_AUTH_SOCK="})
	want := "[{LC_ALL C false} {PATH /bin false} {SSH_AUTH_SOCK  false} {TOKEN t=1 false}]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
