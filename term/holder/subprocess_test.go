package holder_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"apex/term/holder"
)

// subprocessWord makes the test binary something that a test starts: with a word that says what,
// a directory and more arguments.
const subprocessWord = "holder-test"

func subprocess(what string, args []string) {
	ctx := context.Background()
	switch what {
	case "reader": // a daemon that adopts and reads, and says of each read that it is done
		h := must(holder.Adopt(ctx, args[0], args[1]))
		fmt.Println("has it")
		for {
			if _, err := h.Read(); err != nil {
				fmt.Println(err)
				select {}
			}
			fmt.Println("read")
		}
	case "torn": // a daemon that stops between its read and the count of what it read
		h := must(holder.Adopt(ctx, args[0], args[1]))
		fmt.Println("has it")
		fmt.Println(must(h.ReadTorn()))
		select {}
	case "killer": // a daemon that asks for the end of everything and doesn't wait
		h := must(holder.Adopt(ctx, args[0], args[1]))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		fmt.Println(h.Kill(ended))
		select {}
	case "idle": // a daemon that has a holder
		must(holder.Adopt(ctx, args[0], args[1]))
		fmt.Println("has it")
		select {}
	case "inside": // a daemon that was started in the terminal that it ends
		h := must(holder.Adopt(ctx, args[0], args[1]))
		left, err := h.Kill(ctx)
		more, rerr := h.Release(ctx)
		write(args[2], fmt.Sprint(left, err, more, rerr))
	case "marked": // a daemon, with something below it
		must(0, holder.MarkDaemon())
		sleep := exec.Command("sleep", "1000")
		must(0, sleep.Start())
		write(args[0], fmt.Sprint(os.Getpid(), sleep.Process.Pid))
		select {}
	case "upgrade":
		upgrade(ctx, args[0], args[1])
	case "upgraded":
		fmt.Println(upgraded(ctx, args[0], args[1]))
	case "descriptors":
		fmt.Println(startAll(ctx, args[0]))
	default:
		panic(what)
	}
}

func write(path, text string) { must(0, os.WriteFile(path, []byte(text), 0)) }

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return v
}

// upgrade is a daemon that replaces itself while its program runs.
func upgrade(ctx context.Context, dir, name string) {
	h := must(holder.Start(ctx, "", holder.Spec{Dir: dir, Name: name, Cwd: "/", Env: os.Environ(),
		Argv: script("stty -echo; printf before; read x; printf ' after'; read x"),
		Kind: holder.Pty, Size: holder.Size{Cols: 80, Rows: 24}}))
	must(h.Read())
	fmt.Println(h.Info().Holder, h.Info().PID)
	// No Detach: exec closes the connection as a kill does.
	must(0, syscall.Exec(selfExe, []string{os.Args[0], subprocessWord, "upgraded", dir, name},
		os.Environ()))
}

const selfExe = "/proc/self/exe"

func upgraded(ctx context.Context, dir, name string) string {
	h := must(holder.Adopt(ctx, dir, name))
	fmt.Println(h.Info().Holder, h.Info().PID)
	must(h.Write([]byte("\n")))
	for !strings.HasSuffix(string(must(h.Bytes(0))), "after") {
		must(h.Read())
	}
	fmt.Println(string(must(h.Bytes(0))))
	must(h.Kill(ctx))
	must(h.Release(ctx))
	if err := syscall.Kill(h.Info().Holder, 0); err != syscall.ESRCH {
		return fmt.Sprintf("the holder is there: %v", err)
	}
	return "nothing is left"
}

// startAll starts programs until the descriptors of this process run out, ends them, and says how
// that went.
func startAll(ctx context.Context, dir string) string {
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err.Error()
	}
	round := func() (n int, err error) {
		var all []*holder.Holder
		for err == nil {
			var h *holder.Holder
			h, err = holder.Start(ctx, "", holder.Spec{Dir: dir, Name: "d" + strconv.Itoa(len(all)),
				Argv: []string{"cat"}, Env: os.Environ(), Cwd: "/", Kind: holder.Pty,
				Size: holder.Size{Cols: 80, Rows: 24}})
			if err == nil {
				all = append(all, h)
			}
		}
		// Nothing of this needs a descriptor.
		for _, h := range all {
			left, kerr := h.Kill(ctx)
			_, rerr := h.Release(ctx)
			if len(left) > 0 || kerr != nil || rerr != nil {
				return 0, fmt.Errorf("left %v, kill %v, release %v", left, kerr, rerr)
			}
		}
		return len(all), err
	}
	first, err := round()
	if !errors.Is(err, holder.Descriptors) {
		return fmt.Sprintf("start %d: %v", first, err)
	}
	second, err := round()
	if !errors.Is(err, holder.Descriptors) || second != first {
		return fmt.Sprintf("second round: start %d after %d: %v", second, first, err)
	}
	if first < 16 {
		return fmt.Sprintf("only %d programs", first)
	}
	return "ok"
}

// daemon is a process that plays the daemon.
type daemon struct {
	t    *testing.T
	cmd  *exec.Cmd
	said *bufio.Reader
}

func startDaemon(t *testing.T, what string, args ...string) *daemon {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{subprocessWord, what}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t, cmd, bufio.NewReader(out)}
	t.Cleanup(d.kill)
	return d
}

// says is the next line that the process printed.
func (d *daemon) says() string {
	d.t.Helper()
	line, err := d.said.ReadString('\n')
	if err != nil && err != io.EOF {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// kill kills it -9 and waits for that.
func (d *daemon) kill() {
	if d.cmd.ProcessState == nil {
		d.cmd.Process.Kill()
		d.cmd.Wait()
	}
}
