package cli

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/proto"
)

func (a *app) upgradeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade [EXE]",
		Short: "Replace the running daemon by another program",
		Long: `Replace the running daemon by EXE, or by this program: everything is written to disk, the
programs in terminals go on, and clients connect again by themselves. A program that can't
say its version, or does not prove that it can read the state and serve ("EXE server --check"),
is refused, and the daemon goes on. It returns when the new daemon answers,
and prints its build.`,
		Example: "  apex upgrade ./apex",
		Args:    args(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			exe, err := a.successor(args)
			if err != nil {
				return err
			}
			return a.askIf(false, func(ctx context.Context, conn *client.Conn, _ []string) error {
				return a.upgrade(ctx, conn, exe)
			})(c, nil)
		},
	}
}

// successor is the absolute path of the program that is to be the daemon.
func (a *app) successor(args []string) (string, error) {
	if len(args) == 0 {
		p, err := a.paths()
		if err != nil {
			return "", err
		}
		return client.Executable(p.State)
	}
	exe, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return "", advise(core.Errorf(core.CodeNotFound, "%v", err), "name a program, such as ./apex")
	}
	return filepath.Abs(exe)
}

// upgradeMax is how long a daemon may take to come back: it says goodbye to its clients and reads
// what it had of its sessions.
const upgradeMax = 30 * time.Second

// upgrade returns when another daemon answers than the one that was asked.
func (a *app) upgrade(ctx context.Context, conn *client.Conn, exe string) error {
	before, err := conn.Status(ctx)
	if err != nil {
		return err
	}
	if err := conn.Upgrade(ctx, exe); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, upgradeMax)
	defer cancel()
	for {
		now, err := a.successorStatus(ctx)
		if err == nil && (now.PID != before.PID || now.Started != before.Started) {
			return a.say("%s", now.Build)
		}
		select {
		case <-ctx.Done():
			if err == nil {
				err = core.Errorf(core.CodeBusy, "the daemon with pid %d has not been replaced in %v",
					before.PID, upgradeMax)
			}
			return err
		case <-time.After(goneEvery):
		}
	}
}

// successorStatus asks whoever is the daemon now how it is.
func (a *app) successorStatus(ctx context.Context) (*proto.DaemonStatus, error) {
	conn, err := a.dial(ctx, false)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Status(ctx)
}
