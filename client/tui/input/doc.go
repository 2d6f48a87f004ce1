// Package input makes Bubble Tea's messages of what the host terminal sends, and sense of those
// messages.
//
//   - Reader reads the terminal. It cuts pastes out of the stream before that is decoded, so that
//     they keep every byte and cost no time.
//   - Key and KeyOf turn the several ways in which terminals report a key into one.
//   - Mouse follows presses and releases, and turns them into clicks, drags and chords.
//   - Answers collects what the terminal says about itself when it is asked with Queries.
//   - AppendClipboard makes the sequence that gives a text to the terminal's clipboard.
//
// No part of it looks at a clock: times are arguments, or a function given to NewReader.
package input
