// Package service holds the subcommands that run and keep the service: serve, migrate,
// key, sign, witness, relay and retain.
package service

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

// drainFlag is for a service that has proxies in front of it.
type drainFlag struct {
	DrainDelay time.Duration `default:"${drain_delay}" help:"How long to keep serving after SIGTERM while /readyz fails, so that proxies can drain."`
}

// ServeCmd serves the API.
type ServeCmd struct {
	term.DatabaseFlag   `embed:""`
	term.LifetimeFlags  `embed:""`
	term.NetworkFlag    `embed:""`
	term.MasterKeyFlags `embed:""`
	term.LedgerFlag     `embed:""`
	drainFlag           `embed:""`
	runningFlags        `embed:""`
	term.BrokerFlags    `embed:""`
	streamFlags         `embed:""`
	JWKSCache           time.Duration `name:"jwks-cache" default:"${jwks_cache}" help:"How long a readable key set is cached."`
	Listen              string        `required:"" placeholder:"HOST:PORT" help:"Where the API is served, behind your TLS."`
	APIDomain           string        `name:"api-domain" required:"" placeholder:"DOMAIN" help:"Practices are served on {tenantId}.DOMAIN."`
	AuthURL             string        `name:"auth-url" required:"" placeholder:"URL" help:"URL of the staff pages."`
	HSTSSubdomains      bool          `name:"hsts-subdomains" help:"Also require TLS for all names below that of the staff pages (HSTS)."`
	Durability          string        `enum:"asynchronous,synchronous" default:"asynchronous" help:"With 'synchronous', serve only while a standby holds each commit before it is answered."`
}

// Run serves until it is stopped, or checks whether it could.
func (c *ServeCmd) Run(r *term.Run, parsed *kong.Context, files SettingsFiles) error {
	config, err := c.config(r)
	if c.Check {
		return c.check(r, parsed, files, config, err)
	}
	if err != nil {
		return err
	}
	service, err := app.New(r.Context, config)
	if err != nil && r.Context.Err() != nil {
		return nil //nolint:nilerr // it was stopped while it started
	}
	if err != nil {
		return err
	}
	service.WarnWithoutLedger(r.Context)
	if err := c.announce(r, config.Log, service); err != nil {
		service.Close()
		return err
	}
	if err := service.Run(r.Context); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (c *ServeCmd) config(r *term.Run) (app.Config, error) {
	config := app.Config{
		DatabaseURL: c.DatabaseURL, Durability: postgres.Durability(c.Durability), Listen: c.Listen, APIDomain: c.APIDomain, AuthURL: c.AuthURL,
		AllowNetwork: c.AllowNetwork, HSTSSubdomains: c.HSTSSubdomains,
	}
	c.ApplyLimits(&config)
	c.applyRunning(r, &config)
	config.JWKSCache, config.DrainDelay, config.ErasureLedger = c.JWKSCache, c.DrainDelay, c.ErasureLedger
	config.Broker, config.BrokerStreams = c.Server(), c.streams()
	var err error
	config.MasterKeys, err = c.Read(r)
	config.ReadMasterKeys = c.Again()
	return config, err
}

// MigrateCmd brings the schema of a database up to date.
type MigrateCmd struct {
	term.DatabaseFlag `embed:""`
	configFlag        `embed:""`
	ChangeOwner       string        `placeholder:"ROLE" help:"First give the database and everything of frontdesk in it to this role, which must not be a superuser."`
	Wait              time.Duration `default:"10m" help:"How long to wait for a table lock. The service keeps running."`
}

// RolesCmd prints the SQL that makes the roles of the database.
type RolesCmd struct{}

// Run prints the SQL. The program does not run it, because it needs no superuser's password.
func (c *RolesCmd) Run(r *term.Run) error {
	_, err := io.WriteString(r.Out, postgres.RolesSQL)
	return err
}

// migrationLimit bounds a whole migration. To build an index on a long log takes
// time.
const migrationLimit = time.Hour

// Run brings the schema up to date.
func (c *MigrateCmd) Run(r *term.Run) error { return postgres.Named(c.migrate(r)) }

func (c *MigrateCmd) migrate(r *term.Run) error {
	ctx, cancel := context.WithTimeout(r.Context, migrationLimit)
	defer cancel()
	migrator := postgres.Migrator{URL: c.DatabaseURL, Wait: c.Wait, Tell: r.Tell}
	if c.ChangeOwner != "" {
		given, err := migrator.ChangeOwner(ctx, c.ChangeOwner)
		if err != nil {
			return err
		}
		fmt.Fprintln(r.Out, given)
	}
	migrated, err := migrator.Migrate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Out, migrated)
	return nil
}
