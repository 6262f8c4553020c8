package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
)

// Each step damages a running cluster and starts it again.
func TestCommittedRowsSurviveCrash(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: open(t)}
	s := start(t, config)
	write(t, s)
	url := s.URL("postgres", "postgres")
	for _, step := range []struct {
		name string
		harm func(*testing.T, *embedded.Server) *embedded.Server
	}{
		{"its postmaster is killed and restarted", func(t *testing.T, s *embedded.Server) *embedded.Server {
			must(t, s.Restart(t.Context())) // while it is alive: does nothing
			kill(t, pid(t, config.Dir), syscall.SIGKILL)
			<-s.Done()
			must(t, s.Restart(t.Context()))
			return s
		}},
		{"its postmaster is killed unnoticed", func(t *testing.T, s *embedded.Server) *embedded.Server {
			s.Detach()
			kill(t, pid(t, config.Dir), syscall.SIGKILL)
			return start(t, config)
		}},
		{"a stop runs out of time", func(t *testing.T, s *embedded.Server) *embedded.Server {
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			must(t, s.Stop(ended))
			<-s.Done()
			return start(t, config)
		}},
		// After a reboot the number may belong to any process.
		{"its lock file names a stranger", func(t *testing.T, s *embedded.Server) *embedded.Server {
			stop(t, s)
			data := filepath.Join(config.Dir, "postgres")
			stale := fmt.Sprintf("%d\n%s\n1700000000\n5432\n/tmp\n\n", os.Getpid(), data)
			must(t, os.WriteFile(filepath.Join(data, "postmaster.pid"), []byte(stale), 0o600))
			return start(t, config)
		}},
		{"its starter is killed", func(t *testing.T, s *embedded.Server) *embedded.Server {
			stop(t, s)
			return adoptAfter(t, config, func(starter int) { kill(t, starter, syscall.SIGKILL) })
		}},
		{"its starter is interrupted from the terminal", func(t *testing.T, s *embedded.Server) *embedded.Server {
			stop(t, s)
			return adoptAfter(t, config, func(starter int) { kill(t, -starter, syscall.SIGINT) })
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			up := step.harm(t, s)
			wantWritten(t, up)
			if got := up.URL("postgres", "postgres"); got != url {
				t.Errorf("the URL is %s, want %s as before", got, url)
			}
			up.Detach() // the step's cleanup must not stop it
		})
		s = start(t, config)
	}
}

// adoptAfter starts the cluster from another process, ends that, and checks that the
// same postmaster is still running.
func adoptAfter(t *testing.T, config embedded.Config, end func(starter int)) *embedded.Server {
	t.Helper()
	starter := starterProcess(t, config.Dir)
	if _, err := embedded.Start(t.Context(), config); !errors.Is(err, durable.ErrInUse) {
		t.Errorf("a second process gets %v, want ErrInUse", err)
	}
	before := pid(t, config.Dir)
	end(starter.Process.Pid)
	_ = starter.Wait()
	s := start(t, config)
	if after := pid(t, config.Dir); after != before {
		t.Errorf("postmaster %d runs, want %d to be adopted", after, before)
	}
	return s
}

func TestVolatileClusterIsRemadeAfterCrash(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: open(t), Volatile: true}
	s := start(t, config)
	write(t, s)
	stop(t, s)
	s = start(t, config)
	wantWritten(t, s)
	s.Detach()
	kill(t, pid(t, config.Dir), syscall.SIGKILL)
	wantEmpty(t, start(t, config))
}

func TestRemovedDataIsGone(t *testing.T) {
	t.Parallel()
	config := embedded.Config{Dir: open(t), Volatile: true}
	s := start(t, config)
	write(t, s)
	s.Detach()
	must(t, embedded.Remove(t.Context(), config.Dir))
	must(t, embedded.Remove(t.Context(), config.Dir)) // again: does nothing
	s = start(t, config)
	wantEmpty(t, s)

	// Removed by hand under a running server, which then has to make way.
	write(t, s)
	s.Detach()
	must(t, os.RemoveAll(config.Dir))
	wantEmpty(t, start(t, config))
}
