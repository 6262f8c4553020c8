package cli

import (
	"fmt"
	"log/slog"
	"time"

	"frontdesk/cmd/frontdesk/app"
)

// lifetimeFlags are the lifetimes and limits of a service, so that a test can
// shorten them.
type lifetimeFlags struct {
	lifetimeFlag    `embed:""`
	staffPagesFlags `embed:""`
	webhookFlags    `embed:""`
	JWKSCache       time.Duration `name:"jwks-cache" default:"1h" help:"How long a readable key set serves."`
	CallsInFlight   int           `default:"1024" help:"Calls served at once; more are answered 503."`
	RateLimit       float64       `placeholder:"N" help:"Calls a second of one application, in each process; more are answered 429. Without it there is no limit."`
	PrivateListen   string        `default:"127.0.0.1:9090" placeholder:"HOST:PORT" help:"Where metrics, health and readiness are served."`
}

func (f lifetimeFlags) apply(c *app.Config) {
	f.staffPagesFlags.apply(c)
	f.webhookFlags.apply(c)
	c.AuthorisationLifetime, c.JWKSCache = f.AuthorisationLifetime, f.JWKSCache
	c.CallsInFlight, c.PrivateListen, c.RateLimit = f.CallsInFlight, f.PrivateListen, f.RateLimit
}

type serveCmd struct {
	databaseFlag   `embed:""`
	lifetimeFlags  `embed:""`
	networkFlag    `embed:""`
	masterKeyFlags `embed:""`
	Listen         string `required:"" placeholder:"HOST:PORT" help:"Where the API is served, behind your TLS."`
	APIDomain      string `name:"api-domain" required:"" placeholder:"DOMAIN" help:"Practices are served on {tenantId}.DOMAIN."`
	AuthURL        string `name:"auth-url" required:"" placeholder:"URL" help:"Where the staff pages are reached."`
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(r *run) error {
	config := app.Config{
		DatabaseURL: c.DatabaseURL, Listen: c.Listen, APIDomain: c.APIDomain, AuthURL: c.AuthURL, AllowNetwork: c.AllowNetwork,
		Log: newLog(r.Err),
	}
	c.apply(&config)
	var err error
	if config.MasterKey, err = c.read(); err != nil {
		return err
	}
	service, err := app.New(r.ctx, config)
	if err != nil {
		return err
	}
	config.Log.InfoContext(r.ctx, "serving", slog.String("url", service.URL()), slog.String("private_url", service.PrivateURL()))
	if err := service.Run(r.ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
