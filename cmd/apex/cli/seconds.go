package cli

import (
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"apex/core"
	"apex/proto"
)

// seconds is a flag that takes a time in seconds, as in 0.5; it is held in milliseconds. Unset it
// is 0, which is no limit.
type seconds core.Millis

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*s)/1000, 'f', -1, 64)
}

func (s *seconds) Type() string { return "seconds" }

// Set implements pflag.Value.
func (s *seconds) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	ms := math.Ceil(v * 1000)
	if err != nil || !(v > 0) || ms > float64(proto.WaitMax) {
		return usagef("want seconds, more than 0 and at most %d", proto.WaitMax/1000)
	}
	*s = seconds(ms)
	return nil
}

// timeoutFlag gives a command --timeout.
func timeoutFlag(c *cobra.Command, s *seconds) {
	c.Flags().Var(s, "timeout", "how long to wait (default as long as it takes)")
}
