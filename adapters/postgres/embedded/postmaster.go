package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"frontdesk/adapters/background"
)

// postmaster is a running Postgres, from its lock files.
type postmaster struct {
	pid    int
	data   string // its data directory
	socket string // its socket's directory; empty while it is still starting
}

// readLockFile reads postmaster.pid or the lock file of a socket. Their lines
// are process id, data directory, start time, port, socket directory, ….
func readLockFile(path string) (postmaster, bool) {
	content, err := os.ReadFile(path)
	lines := strings.Split(string(content), "\n")
	if err != nil || len(lines) < 2 {
		return postmaster{}, false
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid <= 1 {
		return postmaster{}, false
	}
	p := postmaster{pid: pid, data: lines[1]}
	if len(lines) > 5 {
		p.socket = lines[4]
	}
	return p, true
}

// runningIn is the postmaster on the data directory, if there is one. A lock file alone
// proves nothing. Its process may be gone and its number reused. It may also name
// another directory: this one is then a copy of that, or was moved here while the
// postmaster ran.
func runningIn(data string) (postmaster, bool) {
	p, ok := readLockFile(filepath.Join(data, "postmaster.pid"))
	if !ok || !p.genuine() {
		return postmaster{}, false
	}
	if p.data == data {
		return p, true
	}
	_, err := os.Stat(p.data)
	return p, errors.Is(err, fs.ErrNotExist)
}

// genuine reports whether the process is the postmaster that we started on this data.
// It does not recognise one that was started by hand with a relative path. Postgres
// itself then refuses a second one on the same data, by its shared memory block.
func (p postmaster) genuine() bool {
	arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
	if err == nil {
		return slices.Contains(strings.Split(string(arguments), "\x00"), p.data)
	}
	if procfs() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	command, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(p.pid)).Output()
	return err == nil && bytes.Contains(command, []byte("-D "+p.data))
}

// gone reports whether the process has ended. A zombie counts as ended: the
// first process of a container often never reaps orphans, and they still take
// signals.
func (p postmaster) gone() bool {
	if errors.Is(kill(p.pid, 0), syscall.ESRCH) {
		return true
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid)) // "42 (name) Z …"
	_, state, _ := strings.Cut(string(status), ") ")
	return procfs() && (err != nil || strings.HasPrefix(state, "Z"))
}

func procfs() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// end stops the postmaster cleanly, or at once if ctx ends first. Stopping at once
// loses no committed data, because the next start recovers it.
func (p postmaster) end(ctx context.Context) error {
	// To a postmaster, SIGINT means a fast shutdown and SIGQUIT an immediate
	// one.
	_ = kill(p.pid, syscall.SIGINT)
	if p.awaitEnd(ctx) == nil {
		return nil
	}
	return p.endAtOnce()
}

func (p postmaster) endAtOnce() error {
	_ = kill(p.pid, syscall.SIGQUIT)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if p.awaitEnd(ctx) != nil {
		return fmt.Errorf("Postgres (process %d) does not stop: kill it by hand", p.pid)
	}
	return nil
}

func (p postmaster) awaitEnd(ctx context.Context) error {
	for !p.gone() {
		if !background.Sleep(ctx, pollEvery) {
			return ctx.Err()
		}
	}
	return nil
}

// pollEvery is the polling interval for a process that is not our child.
const pollEvery = 20 * time.Millisecond

// watched is a postmaster with a goroutine that detects its end, because no portable
// call waits for a process that is not a child.
type watched struct {
	postmaster
	done    chan struct{} // closed when it has ended
	forget  context.CancelFunc
	watcher sync.WaitGroup
}

func (s *Server) watch(p postmaster) *watched {
	ctx, forget := context.WithCancel(context.Background())
	w := &watched{postmaster: p, done: make(chan struct{}), forget: forget}
	w.watcher.Go(func() { w.look(ctx, s.logFile()) })
	return w
}

// look polls until the postmaster has ended or the watch is over. Once a minute it also
// truncates the log if necessary.
func (w *watched) look(ctx context.Context, log string) {
	tidy := time.NewTicker(time.Minute)
	defer tidy.Stop()
	for !w.gone() {
		select {
		case <-tidy.C:
			bound(log)
		case <-time.After(pollEvery):
		case <-ctx.Done():
			if !w.gone() {
				return
			}
		}
	}
	close(w.done)
}

// leave ends the watch.
func (w *watched) leave() {
	w.forget()
	w.watcher.Wait()
}
