package tui

import (
	"unicode"

	"apex/client/tui/input"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// defaultPrefix is the key after which the next one is the interface's while a terminal has the
// focus, unless another was chosen.
const defaultPrefix = "ctrl+\\"

// setPrefix chooses the prefix by its name.
func (m *Model) setPrefix(name string) {
	m.terms.before = namedKey(defaultPrefix)
	if name == "" {
		return
	}
	k, err := input.ParseKey(name)
	if err != nil || k.Mod&^input.Shift == 0 && k.Code <= unicode.MaxRune {
		m.warn("APEX_PREFIX: %q is no key to begin with; it is %s.", name, m.prefixName())
		return
	}
	m.terms.before = k
}

// prefixName is the prefix as people write it.
func (m *Model) prefixName() string { return showKey(m.terms.before.String()) }

// termKeys are the keys that are the interface's while a terminal has the focus, all others being
// the program's: those of plain without the prefix, and after the prefix every key of the commands'
// table and those of prefixed. After the prefix the plain ones are the program's, and so is the
// prefix itself.
var termKeys = struct{ plain, prefixed []termKey }{
	plain: []termKey{
		{"alt+left", "window-left"}, {"alt+right", "window-right"},
		{"alt+up", "window-up"}, {"alt+down", "window-down"},
		{"shift+pgup", "page-up"}, {"shift+pgdown", "page-down"},
		{"ctrl+shift+c", "copy"}, {"ctrl+shift+v", "paste"},
		{"f1", "help"},
	},
	prefixed: []termKey{
		{"c", "copy"}, {"v", "paste"}, {"/", "find"}, {"n", "find-next"}, {"N", "find-previous"},
		{"q", "detach"},
	},
}

type termKey struct{ key, command string }

// namedKey is a key of a table; a name that is none is a defect.
func namedKey(name string) input.Key {
	k, err := input.ParseKey(name)
	if err != nil {
		panic("tui: " + err.Error())
	}
	return k
}

func keyTable(of []termKey) map[input.Key]string {
	t := map[input.Key]string{}
	for _, k := range of {
		t[namedKey(k.key)] = k.command
	}
	return t
}

var plainTermKeys, prefixedTermKeys = keyTable(termKeys.plain), keyTable(termKeys.prefixed)

// termKey deals with a key while a terminal has the focus: it goes to the program, unless it is
// the interface's.
func (m *Model) termKey(p *termPane, press tea.KeyPressMsg, k input.Key) tea.Cmd {
	if m.terms.prefix {
		m.terms.prefix = false
		return m.afterPrefix(p, press, k)
	}
	name, ours := plainTermKeys[k]
	switch {
	case k == m.terms.before:
		m.terms.prefix = true
		return nil
	case ours:
		return m.run(commandNamed(name))
	case m.mayNot():
		return m.watchKey(p, k)
	case p.scrolled && (k == key("esc") || k == key("end")):
		p.bottom()
		return nil
	}
	m.typeKey(p, press)
	return nil
}

// afterPrefix deals with the key after the prefix.
func (m *Model) afterPrefix(p *termPane, press tea.KeyPressMsg, k input.Key) tea.Cmd {
	_, theirs := plainTermKeys[k]
	name := prefixedTermKeys[k]
	switch c := commands.byKey[k]; {
	case k == m.terms.before || theirs:
		if m.mayNot() {
			m.refuse()
			return nil
		}
		m.typeKey(p, press)
		m.terms.unseen = false // the hint of the prefix goes
		return nil
	case name != "":
		return m.run(commandNamed(name))
	case c != nil:
		return m.run(c)
	case k == key("esc"):
	default:
		m.say(m.prefixName() + " " + showKey(k.String()) + " does nothing. " +
			keyOf("help") + " shows all keys.")
	}
	return nil
}

// watchKey deals with a key of somebody who may not type here: the interface's keys need no prefix,
// since nothing is the program's.
func (m *Model) watchKey(p *termPane, k input.Key) tea.Cmd {
	c := commands.byKey[k]
	switch {
	case k == key("esc"):
		p.bottom()
		p.sel = termSel{}
		return nil
	case c != nil && (!c.edits || termCommands[c.name] != nil):
		return m.run(c)
	}
	m.refuse()
	return nil
}

// typeKey sends a key to the program. Who types wants to see what comes of it.
func (m *Model) typeKey(p *termPane, press tea.KeyPressMsg) {
	k, ok := protoKey(press)
	if !ok {
		return
	}
	m.terms.unseen = !p.scrolled && p.sel.empty()
	p.bottom()
	p.sel, m.terms.ending = termSel{}, 0
	m.inputTo(p, proto.TermInput{Kind: proto.InputKeys, Keys: []proto.Key{k}})
}
