package vt

const (
	// kittyMax is the depth of a screen's stack of keyboard modes. A program that pushes more
	// loses the oldest, as the protocol asks.
	kittyMax = 16
	// kittyMask holds the flags that the protocol has.
	kittyMask = 31

	modifyOtherKeys = 4 // the resource that XTMODKEYS calls so
)

func (s *Screen) kittyFlags() uint8 {
	if k := s.g.kitty; len(k) > 0 {
		return k[len(k)-1]
	}
	return 0
}

// kittyKeys pushes, pops, sets or tells the flags of kitty's keyboard protocol.
func (s *Screen) kittyKeys(prefix byte) {
	pr, k := &s.parser, &s.g.kitty
	flags := uint8(pr.param(0, 0) & kittyMask)
	switch prefix {
	case '?':
		s.replyf("\x1b[?%du", s.kittyFlags())
	case '>':
		if len(*k) == kittyMax {
			*k = append((*k)[:0:0], (*k)[1:]...)
		}
		*k = append(*k, flags)
	case '<':
		*k = (*k)[:max(len(*k)-pr.param(0, 1), 0)]
	case '=':
		switch pr.param(1, 1) {
		case 2:
			flags |= s.kittyFlags()
		case 3:
			flags = s.kittyFlags() &^ flags
		}
		if len(*k) == 0 {
			*k = append(*k, 0)
		}
		(*k)[len(*k)-1] = flags
	}
}

// modifyKeys is XTMODKEYS and what disables it.
func (s *Screen) modifyKeys(b byte) {
	pr := &s.parser
	what, value := pr.param(0, 0), pr.param(1, 0)
	switch {
	case what != 0 && what != modifyOtherKeys:
	case b == 'n' || what == 0:
		s.modes.modifyKeys = 0
	default:
		s.modes.modifyKeys = uint8(min(value, modifyKeysMax))
	}
}
