package tui

import (
	"strings"

	"apex/core"

	tea "charm.land/bubbletea/v2"
)

// openPalette lists every window, every recent file that has none, and every command.
func (m *Model) openPalette() {
	items := m.windowItems()
	shown := map[string]bool{}
	for _, it := range items {
		shown[it.text] = true
	}
	for _, path := range m.recent {
		if shown[path] {
			continue // it is a window's
		}
		open := func(m *Model) tea.Cmd { return m.openFile(path) }
		items = append(items, item{"Open " + path, "recent", open})
	}
	for _, c := range commands.all {
		if strings.HasPrefix(c.name, "select-") && c.group == groupMove {
			continue // selecting by keys is of no use from here
		}
		note := ""
		if len(c.keys) > 0 {
			note = showKey(c.keys[0])
		}
		items = append(items, item{c.title, note, func(m *Model) tea.Cmd { return m.run(c) }})
	}
	m.push(newPicker("Do", items))
}

// windowItems returns an item for each window, to go there.
func (m *Model) windowItems() []item {
	l := m.session.Layout()
	if l == nil {
		return nil
	}
	var items []item
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			id := s.Window
			note := "window"
			if w := m.session.Window(id); w != nil {
				if b := m.session.Buffer(w.Body); b != nil && m.isDirty(w.Body, b) {
					note = "modified"
				}
				if t := m.term(w.Term); t != nil {
					note = strings.TrimSpace("terminal " + termWords(t))
				}
			}
			items = append(items, item{m.windowName(id), note, act(func(m *Model) { m.show(id) })})
		}
	}
	return items
}

// windowName names a window for people: by its file, or by its id.
func (m *Model) windowName(id core.WindowID) string {
	if w := m.session.Window(id); w != nil {
		if b := m.session.Buffer(w.Body); b != nil && b.Name != "" {
			return b.Name
		}
	}
	return "window " + id.String()
}
