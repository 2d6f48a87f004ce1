// Package input is what sits between the host terminal and Bubble Tea's messages, and what makes
// sense of those messages.
//
//   - Reader is given to Bubble Tea with tea.WithInput. It cuts pastes out of the stream before
//     Bubble Tea parses it, so that they keep every byte and cost no time.
//   - Key and KeyOf turn the several ways in which terminals report a key into one.
//   - Mouse follows presses and releases, and turns them into clicks, drags and chords.
//   - Answers collects what the terminal says about itself when it is asked with Queries.
//   - AppendClipboard makes the sequence that gives a text to the terminal's clipboard.
//
// No part of it looks at a clock: times are arguments, or a function given to NewReader.
package input
