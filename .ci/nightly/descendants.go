package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of orphans, so that processes that a killed proof leaves
// running can be found.
var adopt = sync.OnceValue(func() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphaned processes: %w", err)
	}
	return nil
})

// runAsInit runs a command. Like init, it reaps the orphans that end meanwhile: Patroni waits until
// the Postgres that it has stopped has ended.
func runAsInit(command *exec.Cmd) error {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	if err := command.Start(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- command.Wait() }()
	for {
		select {
		case err := <-result:
			return err
		case <-ended:
			pids, _ := descendants(os.Getpid()) // endAll reports the error
			for _, pid := range pids {
				if pid != command.Process.Pid {
					_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it may run, or have another parent
				}
			}
		}
	}
}

// endAll kills all descendants of this process and waits until they have ended. It must not
// run while another goroutine waits for a command.
func endAll() error {
	for range 1000 {
		pids, err := descendants(os.Getpid())
		if err != nil {
			return fmt.Errorf("look for processes that a proof has left: %w", err)
		}
		if len(pids) == 0 {
			return nil
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended meanwhile
		}
		for pid := 1; pid > 0; {
			pid, _ = unix.Wait4(-1, nil, unix.WNOHANG, nil) // without a child it is an error
		}
		time.Sleep(10 * time.Millisecond) //nolint:forbidigo // it is bounded, and must not be cancelled
	}
	return errors.New("processes that a proof has left do not end")
}

// descendants returns the children of a process, their children and so on.
func descendants(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return nil, err
		}
		child, parent, err := parentOf(string(text))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", stat, err)
		}
		children[parent] = append(children[parent], child)
	}
	all := slices.Clone(children[pid])
	for n := 0; n < len(all); n++ {
		all = append(all, children[all[n]]...)
	}
	return all, nil
}

// parentOf reads the line of /proc/<pid>/stat: "pid (name) state parent …". The name may hold
// blanks and brackets.
func parentOf(stat string) (pid, parent int, err error) {
	before, _, _ := strings.Cut(stat, " ")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 2 {
		return 0, 0, errors.New("it has too few fields")
	}
	pid, err = strconv.Atoi(before)
	if err != nil {
		return 0, 0, err
	}
	parent, err = strconv.Atoi(fields[1])
	return pid, parent, err
}
