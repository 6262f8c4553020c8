package dev

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/dev/forward"
	"frontdesk/cmd/frontdesk/dev/page"
)

// Config is what a user of dev may choose.
type Config struct {
	KeyDir         string // absolute; made if it is missing
	SandboxDir     string // absolute; of the sandbox that is found or started
	Listen         string // where the page and the key set are served; "" for DefaultListen or another port
	ListenWebhooks string // where webhooks are received; "" for any port
	ListenAPI      string // where a sandbox that is started serves; "" for DefaultListenAPI or another port
	ForwardTo      string // where webhooks are handed on to; "" for nowhere
	Name           string // of the application
	Callbacks      []string
	Open           bool   // a browser
	Machine        string // what this machine says of whoever is at it
	Out            io.Writer
	Log            *slog.Logger     // of a sandbox that is started
	Now            func() time.Time // real time
}

// dev is what runs.
type dev struct {
	config   Config
	home     *home
	keys     *keys
	identity identity
	ground   *ground
	inbox    *forward.Inbox
	diary    *diary
	changed  *background.Broadcast // notified when the page would show something else
	site     *page.Site
	jwksURL  string

	turn    sync.Mutex // one thing at a time is done with the sandbox
	member  *membership
	joined  clock.Stopwatch // since it was last tried
	missed  int             // glances at the sandbox in vain
	glances int

	mu   sync.Mutex
	seen seen
}

// Run runs until ctx ends, and stops everything in reverse. The error is one line that
// says what to do.
func Run(ctx context.Context, config Config) error {
	d := &dev{config: config, changed: &background.Broadcast{}}
	d.diary = &diary{out: config.Out, now: config.Now, changed: d.changed}
	if err := d.settle(); err != nil {
		return err
	}
	defer d.home.close()
	target, err := d.target()
	if err != nil {
		return err
	}
	if d.ground, err = d.findGround(ctx); err != nil {
		return unlessDone(ctx, err)
	}
	defer d.ground.leave()
	d.inbox = forward.NewInbox(target, d.config.Now, d.tell)
	shop, err := d.openShop(ctx)
	if err != nil {
		return err
	}
	defer shop.Stop(closingTime) // ends what pages follow
	defer d.quit()
	return d.live(ctx)
}

// settle takes the directory, and finds out who the application is.
func (d *dev) settle() (err error) {
	if d.home, err = openHome(d.config.KeyDir); err != nil {
		return err
	}
	if d.keys, err = openKeys(d.home); err == nil {
		d.identity, err = openIdentity(d.home)
	}
	if err != nil {
		d.home.close()
	}
	return err
}

func (d *dev) target() (*forward.Target, error) {
	if d.config.ForwardTo == "" {
		return nil, nil //nolint:nilnil // nowhere is no error
	}
	return forward.NewTarget(d.config.ForwardTo)
}

// glance is how often the sandbox is looked at.
const glance = time.Second

// live looks after the application until ctx ends.
func (d *dev) live(ctx context.Context) error {
	every := time.NewTicker(glance)
	defer every.Stop()
	for welcomed := false; ; {
		if err := d.glance(ctx); err != nil {
			return unlessDone(ctx, err)
		}
		welcomed = welcomed || d.welcome(ctx)
		select {
		case <-ctx.Done():
			d.diary.say("Stopping.")
			return nil
		case <-d.ground.done:
			return d.ground.ended()
		case <-every.C:
		}
	}
}

// unlessDone is an error that is not just that somebody has stopped us.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}
