package dev

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
)

// Config is the configuration that a user of dev may choose.
type Config struct {
	KeyDir         string // absolute; made if it is missing
	SandboxDir     string // absolute; of the sandbox that is found or started
	Listen         string // where the page and the key set are served; "" for DefaultListen or another port
	ListenWebhooks string // where webhooks are received; "" for any port
	ListenAPI      string // where a sandbox that is started serves; "" for DefaultListenAPI or another port
	ForwardTo      string // where webhooks are forwarded; "" for nowhere
	Name           string // of the application
	Callbacks      []string
	Open           bool   // a browser
	Machine        string // the machine's account of its user
	Out            io.Writer
	Log            *slog.Logger     // of a sandbox that is started
	Now            func() time.Time // real time
}

// dev is a running dev.
type dev struct {
	config   Config
	dir      *keyDir
	keys     *keys
	identity identity
	proc     *sandboxProc
	inbox    *forward.Inbox
	log      *log
	changed  *background.Broadcast // notified when the page would show something else
	site     *page.Site
	jwksURL  string

	turn   sync.Mutex // one thing at a time is done with the sandbox
	member *registration
	joined clock.Stopwatch // since it was last tried
	missed int             // failed polls of the sandbox
	polls  int

	mu       sync.Mutex
	snapshot snapshot
}

// Run runs until ctx ends, and stops everything in reverse. The error is one line that
// includes the fix.
func Run(ctx context.Context, config Config) error {
	d := &dev{config: config, changed: &background.Broadcast{}}
	d.log = &log{out: config.Out, now: d.now, changed: d.changed}
	if err := d.settle(); err != nil {
		return err
	}
	defer d.dir.close()
	target, err := d.target()
	if err != nil {
		return err
	}
	if d.proc, err = d.findSandbox(ctx); err != nil {
		return unlessDone(ctx, err)
	}
	defer d.proc.leave()
	d.inbox = forward.NewInbox(target, d.now, d.logWebhook)
	server, err := d.openServer(ctx)
	if err != nil {
		return err
	}
	defer server.Stop(closingTime) // ends the streams that pages follow
	defer d.quit()
	return d.live(ctx)
}

// settle takes the directory, and finds out who the application is.
func (d *dev) settle() (err error) {
	if d.dir, err = openDir(d.config.KeyDir); err != nil {
		return err
	}
	if d.keys, err = openKeys(d.dir); err == nil {
		d.identity, err = openIdentity(d.dir)
	}
	if err != nil {
		d.dir.close()
	}
	return err
}

func (d *dev) target() (*forward.Target, error) {
	if d.config.ForwardTo == "" {
		return nil, nil //nolint:nilnil // nowhere is no error
	}
	return forward.NewTarget(d.config.ForwardTo)
}

// pollInterval is the time between polls of the sandbox.
const pollInterval = time.Second

// live keeps the application registered until ctx ends.
func (d *dev) live(ctx context.Context) error {
	every := time.NewTicker(pollInterval)
	defer every.Stop()
	for welcomed := false; ; {
		if err := d.poll(ctx); err != nil {
			return unlessDone(ctx, err)
		}
		welcomed = welcomed || d.welcome(ctx)
		select {
		case <-ctx.Done():
			d.log.info("Stopping.")
			return nil
		case <-d.proc.done:
			return d.proc.ended()
		case <-every.C:
		}
	}
}

// unlessDone drops an error that only reports that we were stopped.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}
