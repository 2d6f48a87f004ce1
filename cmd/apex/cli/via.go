package cli

import (
	"io"
	"strings"

	"apex/client"
	"apex/core"
	"apex/core/addr"
	"apex/daemon"
	"apex/proto"
)

// via is a way to the daemon of another machine.
type via struct {
	host    string // for ssh; empty: command is the way
	command string // for a shell
}

// stdioCommand is what has to run on the other machine.
const stdioCommand = "apex attach --stdio"

// noStart, after stdioCommand, has it start no daemon: for one that somebody has stopped, and that is
// waited for.
const noStart = " --no-start"

// viaOf finds out from --via and the arguments how a daemon is reached, nil if it is on this machine,
// and returns the arguments that are left: session and files. No label has a colon in it.
func viaOf(command string, args []string) (*via, []string, error) {
	host, label, remote := "", "", false
	if len(args) > 0 {
		if i := strings.LastIndexByte(args[0], ':'); i >= 0 {
			host, label, remote = args[0][:i], args[0][i+1:], true
		}
	}
	switch {
	case !remote && command == "":
		return nil, args, nil
	case !remote:
		return &via{command: command}, args, nil
	case command != "":
		return nil, nil, usagef("%q names a host, and --via another way: want one of them", args[0])
	case host == "" || strings.HasPrefix(host, "-"):
		return nil, nil, usagef("%q: want HOST:SESSION", args[0])
	case label == "":
		label = daemon.DefaultLabel
	}
	return &via{host: host}, append([]string{label}, args[1:]...), nil
}

// aliveOptions have ssh notice within a quarter of a minute that the network is gone.
var aliveOptions = []string{"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}

// connection is the way as the client takes it; what the command says before there is a connection
// goes to stderr.
func (v *via) connection(stderr io.Writer) *client.Via {
	if v.host != "" {
		to := strings.TrimSuffix(strings.TrimPrefix(v.host, "["), "]") // of an IPv6 address
		ssh := append(append([]string{"ssh", "-T"}, aliveOptions...), "--", to)
		return &client.Via{Name: "ssh " + v.host, Command: append(ssh, stdioCommand), Stderr: stderr,
			Restart: append(ssh[:len(ssh):len(ssh)], stdioCommand+noStart)}
	}
	out := &client.Via{Name: v.command, Command: []string{"/bin/sh", "-c", v.command}, Stderr: stderr}
	if strings.HasSuffix(strings.TrimSpace(v.command), stdioCommand) {
		out.Restart = []string{"/bin/sh", "-c", v.command + noStart}
	}
	return out
}

// name is what the top row calls the other machine; empty for this one.
func (v *via) name() string {
	switch {
	case v == nil:
		return ""
	case v.host != "":
		return v.host
	}
	return "via"
}

// unattached says why a session there could not be attached.
func (v *via) unattached(err error) error {
	code := core.CodeOf(err)
	if code == core.CodeUnavailable {
		err = &noDaemonError{err}
	}
	switch {
	case code == core.CodeNotFound:
		return advise(err, "`apex new` there makes a session, `apex ls` there lists those that there are")
	case code == core.CodeDenied:
		return advise(err, "attach from another terminal, or another session")
	case v.host != "":
		return advise(err, "apex must be in the path of `ssh %s`, which must print nothing; --via names "+
			"another way", v.host)
	}
	return advise(err, "the command has to run `%s` on the other machine, and to print nothing of its own",
		stdioCommand)
}

// remoteFiles makes the places that arguments name on another machine.
func remoteFiles(args []string) ([]proto.File, error) {
	var out []proto.File
	for _, arg := range args {
		name, at := addr.SplitFile(arg)
		if name == "" {
			return nil, usagef("%q: the name of a file is empty", arg)
		}
		out = append(out, proto.File{Path: name, Addr: at})
	}
	return out, nil
}
