package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/durable"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/application"
)

// The default addresses, if their ports are free.
const (
	DefaultListen    = "127.0.0.1:8090"
	DefaultListenAPI = "127.0.0.1:8080"
)

// sandboxProc is the sandbox that the application uses.
type sandboxProc struct {
	own  bool // started by us, and stopped with us
	stop context.CancelFunc
	done chan struct{} // closed when a sandbox of our own has ended; nil if it is not
	err  error         // the error that ended it

	started chan struct{} // closed once a sandbox of our own serves
}

func newSandboxProc(stop context.CancelFunc) *sandboxProc {
	return &sandboxProc{own: true, stop: stop, done: make(chan struct{}), started: make(chan struct{})}
}

const (
	startLimit = 3 * time.Minute // a first start makes a database
	startLook  = 50 * time.Millisecond

	keySetServes = 5 * time.Second // as in every sandbox
)

// findGround starts a sandbox, unless one runs in the directory already.
func (d *dev) findSandbox(ctx context.Context) (*sandboxProc, error) {
	address, moved, err := choose(ctx, d.config.ListenAPI, DefaultListenAPI)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(d.config.Out, "Looking for a sandbox in %s, or starting one …\n", d.config.SandboxDir)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	g := newSandboxProc(stop)
	go func() {
		defer close(g.done)
		g.err = sandbox.Run(running, sandbox.Config{
			Dir: d.config.SandboxDir, Out: io.Discard, Log: d.config.Log, Started: func() { close(g.started) },
			Now: d.config.Now, App: app.Config{Listen: address, PrivateListen: "127.0.0.1:0", JWKSCache: keySetServes},
		})
	}()
	if err := g.awaitStart(ctx, d.config.SandboxDir); err != nil {
		return nil, err
	}
	if g.own && moved {
		d.log.info("%s is taken, so the API is served on another port.", DefaultListenAPI)
	}
	return g, nil
}

// awaitStart returns once the sandbox is ready, ours or one that already ran. Only our own
// attempt to start one shows whose it is.
func (p *sandboxProc) awaitStart(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			p.leave()
			return fmt.Errorf("no sandbox was ready in %s in time: %w", dir, ctx.Err())
		case <-p.done:
			p.own, p.done = false, nil
			if !errors.Is(p.err, durable.ErrInUse) {
				return cmp.Or(p.err, context.Canceled)
			}
		case <-p.started:
			return p.ignored(dir)
		case <-time.After(startLook):
			if _, err := sandbox.ReadInfo(dir); err == nil && !p.own {
				return nil
			}
		}
	}
}

// ignored keeps a sandbox that was started in a code base out of its version control.
func (p *sandboxProc) ignored(dir string) error {
	file := filepath.Join(dir, ignoreName)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return os.WriteFile(file, []byte("*\n"), 0o600)
}

// leave stops a sandbox of our own, and leaves another one as it is.
func (p *sandboxProc) leave() {
	p.stop()
	if p.done != nil {
		<-p.done
	}
}

// ended is why dev ends with its own sandbox.
func (p *sandboxProc) ended() error {
	return fmt.Errorf("the sandbox has stopped, and frontdesk dev with it; start it again: %w", cmp.Or(p.err, context.Canceled))
}

// choose returns the requested address or, without one, the default; if its port is taken,
// another one of the same host.
func choose(ctx context.Context, asked, usual string) (address string, moved bool, err error) {
	if asked != "" {
		usual = asked
	}
	host, _, err := net.SplitHostPort(usual)
	if err != nil || !application.IsLoopback(host) {
		return "", false, fmt.Errorf("frontdesk dev serves this machine only: %q is no address such as 127.0.0.1:8090", usual)
	}
	if asked != "" {
		return asked, false, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", usual)
	if err == nil {
		return usual, false, listener.Close()
	}
	return net.JoinHostPort(host, "0"), true, nil
}
