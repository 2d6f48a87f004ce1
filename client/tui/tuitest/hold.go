package tuitest

// Hold implements tui.Session. What is committed is applied at once: there is nothing to send.
func (s *Session) Hold() {}

// Flush implements tui.Session.
func (s *Session) Flush() {}
