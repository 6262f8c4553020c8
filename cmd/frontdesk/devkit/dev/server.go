package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
)

const closingTime = 5 * time.Second

// openServer begins to serve the page and the key set.
func (d *dev) openServer(ctx context.Context) (*background.Server, error) {
	address, moved, err := choose(ctx, d.config.Listen, DefaultListen)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (is the port taken? choose another with --listen): %w", address, err)
	}
	if moved {
		d.log.info("%s is taken, so the page is on another port.", DefaultListen)
	}
	d.site = &page.Site{
		Key: d.identity.PageKey, State: d.state, Acts: d.acts(ctx), Changed: d.changed, KeySet: d.keys,
		Address: listener.Addr().String(),
	}
	d.jwksURL = "http://" + d.site.Address + page.KeySetPath
	return background.Serve(listener, &http.Server{
		Handler: d.site.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute,
	}), nil
}

var errNoBrowser = errors.New("there is no browser to open: no xdg-open, open or www-browser")

// browse opens the page in the user's browser. Other users see the arguments of processes, so
// the address is valid once.
func browse(ctx context.Context, address string) error {
	for _, name := range []string{"xdg-open", "open", "www-browser"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		browser := exec.CommandContext(context.WithoutCancel(ctx), path, address)
		if err := browser.Start(); err != nil {
			return fmt.Errorf("open a browser: %w", err)
		}
		return browser.Process.Release() // it outlives us
	}
	return errNoBrowser
}
