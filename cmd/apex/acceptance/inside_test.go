package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// An interface is not let in where it would show itself: in a terminal of its own session, and in
// one of a session that is shown there. It is the daemon who says so, whatever the environment says.
func TestNotInsideItself(t *testing.T) {
	t.Parallel()
	needTmux(t)
	needProc(t)
	m := newMachine(t)
	m.must("new", "default")
	m.must("new", "other")
	p := m.terminal("person", 100, 30)
	p.ui()
	h := m.hosts("80x24", "sh")
	p.fits(h)
	// refused types a command and waits until it is refused, with the name of a window.
	refusals := 0
	refused := func(command string, in *terminal, window string) {
		t.Helper()
		refusals++
		in.shell(fmt.Sprintf("clear; %s; echo refusal %d: $?", command, refusals))
		in.wait("a refusal", func(s screen) bool {
			return s.has(fmt.Sprintf("refusal %d: 1", refusals)) && s.has("(denied)") &&
				s.has("window "+window)
		})
	}
	refused(binary, p, h.window)
	refused(binary+" attach default --observe", p, h.window)
	refused("env -u APEX_SESSION -u APEX_SOCKET -u winid "+binary+" attach default", p, h.window)

	// Another session may be shown in a terminal, and there the first is not again.
	p.shell("clear; " + binary + " attach other")
	p.wait("the other session", func(s screen) bool { return strings.Contains(s.String(), "other  leading") })
	var made struct{ Term, Window string }
	m.decode(m.must("-s", "other", "term", "new", "--json", "--focus", "--", "sh"), &made)
	p.wait("a prompt in it", func(s screen) bool { return strings.Contains(s.body(), "$") })
	refused(binary+" attach default", p, made.Window)
	refused(binary+" attach other", p, made.Window)
	p.keys("C-\\", "C-\\", "q") // for the inner one
	p.wait("the first session's terminal", func(s screen) bool { return !s.has("other  leading") })

	// Nor one that has left its session, and has no terminal but to draw on.
	stray := m.hosts("80x24", "sh", "-c", "setsid -w "+binary+" attach default; exec cat")
	stray.waits("/this terminal is window " + stray.window + ",/")
	stray.waits("/denied/")
}

// Programs reach the ssh agent of whoever leads, by a link that stays.
func TestAgentOfWhoLeads(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	m.must("new", "default")
	first, second := m.terminal("first", 80, 24), m.terminal("second", 80, 24)
	first.shell("export SSH_AUTH_SOCK=/first/agent DISPLAY=:1 APEX_ENV=TOKEN TOKEN=one")
	second.shell("export SSH_AUTH_SOCK=/second/agent DISPLAY=:2 APEX_ENV=TOKEN TOKEN=two")
	environment := func() map[string]string {
		var vars []struct{ Name, Value string }
		m.decode(m.must("env", "--json"), &vars)
		out := map[string]string{}
		for _, v := range vars {
			out[v.Name] = v.Value
		}
		return out
	}
	leads := func(agent, display, token string) {
		t.Helper()
		link := ""
		eventually(t, "the environment of "+agent, func() bool {
			e := environment()
			link = e["SSH_AUTH_SOCK"]
			to, err := os.Readlink(link)
			return err == nil && to == agent && e["DISPLAY"] == display && e["TOKEN"] == token
		})
		h := m.hosts("80x24", "sh", "-c", `echo "$SSH_AUTH_SOCK $DISPLAY $TOKEN"; exec cat`)
		h.waits("/:/")
		if got := strings.Join(h.lines(), ""); got != fmt.Sprintf("%s %s %s", link, display, token) {
			t.Errorf("a program has %q", got)
		}
		m.must("win", "rm", h.window)
	}
	first.ui()
	leads("/first/agent", ":1", "one")
	second.ui()
	second.wait("the lead", screen.leading)
	leads("/second/agent", ":2", "two")
	first.keys("F2")
	first.wait("the lead", screen.leading)
	leads("/first/agent", ":1", "one")
	m.killDaemon()
	first.wait("the lead again", screen.leading)
	leads("/first/agent", ":1", "one")

	// What was set here counts more, and a shell that runs takes it over.
	h := m.hosts("80x24", "sh")
	m.must("env", "TOKEN=it's set", "NEW=x y")
	h.types(`eval "$(` + binary + ` env)"; echo "<$TOKEN><$NEW>"`)
	h.waits("/<it's set><x y>$/")
}

// A daemon that is out of descriptors refuses terminals and says why; all else goes on.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	if out, err := m.run("sh", "-c", "ulimit -n 64 && exec "+binary+" new default"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path := m.write("file", "text\n")
	var all []*hosted
	var refusal answer
	for range 64 {
		a := m.apex("", "term", "new", "--json", "--", "cat")
		if a.status != 0 {
			refusal = a
			break
		}
		var made struct{ Term, Window string }
		m.decode(a.out, &made)
		all = append(all, &hosted{m, made.Term, made.Window})
	}
	t.Logf("after %d terminals: status %d: %s", len(all), refusal.status, refusal.err)
	if len(all) < 3 || refusal.status != 1 || !strings.Contains(refusal.err, "too few file descriptors") {
		t.Errorf("after %d terminals: status %d: %s", len(all), refusal.status, refusal.err)
	}
	daemon := m.daemon()
	// A connection may have left room for one meanwhile.
	if a := m.apex("", "exec", m.opens("other", ""), "true"); a.status != 0 &&
		(a.status != 1 || !strings.Contains(a.err, "too few file descriptors")) {
		t.Errorf("a command: status %d: %s", a.status, a.err)
	}
	for i, h := range all {
		h.types(fmt.Sprintf("terminal %d lives", i))
		h.waits(fmt.Sprintf("/^terminal %d lives$/", i))
	}
	m.must("open", path)
	m.edits(path, 0, "changed ")
	m.must("put", path)
	m.holds(path, []byte("changed text\n"))
	m.must("win", "rm", all[0].window)
	m.must("win", "rm", all[1].window)
	again := &hosted{m: m}
	eventually(t, "room for another", func() bool {
		var made struct{ Term string }
		a := m.apex("", "term", "new", "--json", "--", "cat")
		if a.status == 0 {
			m.decode(a.out, &made)
		}
		again.term = made.Term
		return a.status == 0
	})
	again.types("again")
	again.waits("/^again$/")
	if m.daemon() != daemon {
		t.Error("the daemon is another one")
	}
	m.killDaemon()
	for i, h := range all[2:] {
		h.types(fmt.Sprintf("terminal %d still", i))
		h.waits(fmt.Sprintf("/^terminal %d still$/", i))
	}
}
