package cli

import (
	"fmt"
	"path/filepath"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/sandbox"
)

type sandboxCmd struct {
	lifetimeFlags `embed:""`
	networkFlag   `embed:""`
	Dir           string `default:".frontdesk" placeholder:"DIR" help:"Where its data is kept."`
	Listen        string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where the API is served; loopback only."`
	TrustCA       string `name:"trust-ca" placeholder:"FILE" help:"Certificate (PEM) that webhooks and key sets are trusted by, beside the sandbox's own."`
	Fresh         bool   `help:"Forget what earlier runs have kept."`
}

// Run runs the sandbox until it is told to stop.
func (c *sandboxCmd) Run(r *run) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("find the sandbox's directory: %w", err)
	}
	config := app.Config{Listen: c.Listen, AllowNetwork: c.AllowNetwork}
	c.apply(&config)
	return sandbox.Run(r.ctx, sandbox.Config{Dir: dir, Fresh: c.Fresh, Trust: c.TrustCA, Out: r.Out, Log: newLog(r.Err), App: config})
}
