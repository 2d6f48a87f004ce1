// Package input turns what a person or a script does to a hosted terminal into the bytes that its
// program asked for: keys, pastes, mouse and focus.
//
// It is the other direction of a terminal's screen model and knows nothing of one: the caller
// copies the modes that the program has set into a Modes. Everything is a function of its
// arguments. Nothing is kept between calls but what a Paste holds, and that belongs to the caller.
//
// # Keys
//
// AppendKey has three encodings, and Modes says which one is in force:
//
//   - xterm's, with its defaults for a PC keyboard: the control characters, the cursor, editing and
//     function keys with a parameter for modifiers, application cursor and keypad modes, Alt and
//     Meta as a leading ESC.
//   - xterm's with modifyOtherKeys 1 or 2, where keys that have no place of their own in ASCII
//     become CSI 27;m;c~, or CSI c;mu if the program asked for formatOtherKeys 1.
//   - kitty's keyboard protocol, when any of the flags 1, 2 or 8 is set. Flags 4 and 16 only add
//     to the escape codes that those make, so that either alone leaves xterm's encoding in force.
//
// What can't be expressed gives no bytes. In xterm's encoding that is a release, a modifier, lock
// or media key, and everything with Super or Hyper, which xterm has no parameter for: a shortcut
// that nobody took must not type its letter. CapsLock and NumLock change what a key types and are
// never reported there.
//
// Where xterm drops what could be told, this package tells it: with modifyOtherKeys, Alt stays in
// the parameter beside other modifiers, and a rune above U+00FF is reported by its number. Where
// kitty's reference and its specification differ, the specification counts: Enter, Tab and
// Backspace have no release without flag 8, with whatever modifiers.
//
// # Pastes
//
// A paste is text, whatever it contains: no byte of it may end the paste early or be taken for a
// key. See Paste for what is replaced.
//
// The sources are the xterm project's ctlseqs and its page on modified keys, and kitty's
// keyboard-protocol document. The tests name the one that each table is from.
package input
