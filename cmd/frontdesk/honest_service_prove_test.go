//go:build prove

package main_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/testworld"
)

// proved is a service with everything that proves its log, each a process of its own.
type proved struct {
	*trial   // only its Postgres
	program  string
	replicas []*replica
	signer   *daemon
	witness  *witnessProcess
	logKey   string
	done     map[string]int
	answered answers // requests that were answered 200
}

func newProved(t *testing.T) *proved {
	t.Helper()
	dir := t.TempDir()
	h := &proved{trial: &trial{t: t, data: filepath.Join(dir, "postgres"), client: &http.Client{Timeout: time.Minute}}, program: testworld.Binary(t), done: map[string]int{}}
	h.startPostgres(dir)
	h.onboard()
	args := serveArgs(t, h.postgres.URL("frontdesk", postgres.AppRole))
	for range 2 {
		r := &replica{t: t, place: freePlace(t), args: args}
		t.Cleanup(func() { r.stop() })
		r.start(h.program)
		h.replicas = append(h.replicas, r)
	}
	key, state := filepath.Join(dir, "log.key"), filepath.Join(dir, "signer")
	made, err := exec.CommandContext(t.Context(), h.program, "key", "make-log", "--name", "example.com", "--out", key).Output()
	h.must(errors.Join(err, os.Mkdir(state, 0o700)))
	h.logKey = strings.TrimSpace(string(made))
	h.witness = newWitness(t, h.logKey)
	h.signer = &daemon{t: t, args: []string{
		"sign", "--database-url", h.postgres.URL("frontdesk", postgres.SignerRole), "--log-key-file", key,
		"--state", state, "--every", "1s", "--witness", h.witness.url, "--witness-key", h.witness.vkey,
	}}
	h.signer.start(h.program)
	t.Cleanup(h.signer.kill)
	return h
}

// daemon is a process that is restarted whenever it ends, as by a service manager, and whose
// errors are kept.
type daemon struct {
	t       *testing.T
	args    []string
	env     []string // in addition to this process's
	log     *os.File // in place of said; nil for none
	said    kept
	stop    context.CancelFunc
	running sync.WaitGroup
}

func (d *daemon) start(program string, more ...string) {
	ctx, stop := context.WithCancel(context.WithoutCancel(d.t.Context()))
	d.stop = stop
	d.running.Go(func() {
		for ctx.Err() == nil {
			process := exec.CommandContext(ctx, program, append(d.args, more...)...)
			process.Env, process.Stderr = append(os.Environ(), d.env...), &d.said
			if d.log != nil {
				process.Stderr = d.log
			}
			_ = process.Run()
			pauseFor(ctx, time.Second)
		}
	})
}

func (d *daemon) kill() {
	d.stop()
	d.running.Wait()
}

// kept keeps the bytes that are written to it.
type kept struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write keeps p.
func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(p)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}
