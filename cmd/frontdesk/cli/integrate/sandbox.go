package integrate

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// SandboxCmd starts a sandbox, and steers one that runs.
type SandboxCmd struct {
	Start    sandboxStartCmd    `cmd:"" default:"withargs" help:"Start a sandbox." detail:"\"frontdesk sandbox\" does the same."`
	Clock    sandboxClockCmd    `cmd:"" help:"Show or move the sandbox's clock."`
	Reset    sandboxResetCmd    `cmd:"" help:"Reset the practice to its seeded state." detail:"The sandbox runs on."`
	Receiver sandboxReceiverCmd `cmd:"" help:"Change how the webhook receiver behaves." detail:"Badly, or well again."`
	Causes   sandboxCausesCmd   `cmd:"" help:"List what causes each response." detail:"A client should be tried with each of these responses."`
	Body     sandboxBodyCmd     `cmd:"" help:"Print the body for one of these causes." detail:"It is the body of an API call."`
	Remove   sandboxRemoveCmd   `cmd:"" help:"Remove all data of a sandbox." detail:"The sandbox must not be running."`
}

// sandboxFlag names a sandbox.
type sandboxFlag struct {
	Dir string `default:".frontdesk" type:"folder" placeholder:"DIR" help:"Where the sandbox keeps its data."`
}

type sandboxStartCmd struct {
	term.LifetimeFlags `embed:""`
	term.NetworkFlag   `embed:""`
	sandboxFlag        `embed:""`
	JWKSCache          time.Duration `name:"jwks-cache" default:"5s" help:"How long a readable key set is cached. In production it is an hour."`
	Listen             string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where the API is served; loopback only."`
	TrustCA            string        `name:"trust-ca" placeholder:"FILE" help:"Certificate (PEM) that is trusted for webhooks and key sets, in addition to the sandbox's own."`
	Fresh              bool          `help:"Delete existing sandbox data first."`
	Seed               seedName      `placeholder:"NAME" help:"What the practice is seeded with: quiet, for calls by a program; or busy, for people who try the practice's pages: 4,000 patients, 12 staff, 71 new requests and 100 appointments a day. Existing data keeps its own; a new sandbox is quiet."`
	Container          bool          `help:"Serve all who reach this container, give them the application's key at /docs/, and keep nothing: each start begins from the seed. Only for the image frontdesk-sandbox, whose published ports decide who reaches it."`
	Strict             bool          `help:"Refuse a call with an unknown field, and name the field. In production such a field is ignored, and named in the header Warning-Unknown-Fields."`
}

// seedName is the name of a seed.
type seedName string

// UnmarshalText refuses an unknown name, and suggests the nearest.
func (s *seedName) UnmarshalText(text []byte) error {
	*s = seedName(text)
	return term.OneOf("seed", string(text), sandbox.Quiet, sandbox.Busy)
}

// Run runs the sandbox until it is stopped.
func (c *sandboxStartCmd) Run(r *term.Run) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("find the sandbox's directory: %w", err)
	}
	config := app.Config{Listen: c.Listen, AllowNetwork: c.AllowNetwork, JWKSCache: c.JWKSCache, Strict: c.Strict}
	c.ApplyLimits(&config)
	return sandbox.Run(r.Context, sandbox.Config{Dir: dir, Fresh: c.Fresh, Seed: string(c.Seed), Container: c.Container, Trust: c.TrustCA, Out: r.Out, Log: term.NewLog(r.Err), App: config, Now: r.Now})
}

// reach steers the sandbox for as long as a command may take.
func (f sandboxFlag) reach(r *term.Run, steer func(context.Context, sandbox.Remote) error) error {
	ctx, cancel := context.WithTimeout(r.Context, term.CommandLimit)
	defer cancel()
	remote, err := sandbox.Reach(f.Dir)
	if err != nil {
		return err
	}
	return steer(ctx, remote)
}

type sandboxClockCmd struct {
	sandboxFlag `embed:""`
	Setting     string `arg:"" optional:"" help:"Move it by +12h, or by -- -30m; set it to an instant such as 2027-03-28T00:59:00Z; or real."`
}

// Run moves the clock, or prints its time.
func (c *sandboxClockCmd) Run(r *term.Run) error {
	return c.reach(r, func(ctx context.Context, remote sandbox.Remote) error {
		now, err := remote.Clock(ctx, c.Setting)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(r.Out, sandbox.ClockText(now, r.Now()))
		return err
	})
}

type sandboxResetCmd struct {
	sandboxFlag `embed:""`
}

// Run resets the sandbox.
func (c *sandboxResetCmd) Run(r *term.Run) error {
	return c.reach(r, func(ctx context.Context, remote sandbox.Remote) error {
		if err := remote.Reset(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(r.Out, "The practice is reset to its seeded state, and the clock shows the real time.")
		return err
	})
}

type sandboxReceiverCmd struct {
	sandboxFlag `embed:""`
	Way         string `arg:"" enum:"well,slow,error,redirect,closed,untrusted,silent" help:"well; slow (answers after 2 s); error (500); redirect; closed (ends the connection); untrusted (shows an untrusted certificate); silent (never answers)."`
}

// Run has all webhooks of the sandbox's application sent to where its receiver behaves so.
func (c *sandboxReceiverCmd) Run(r *term.Run) error {
	return c.reach(r, func(ctx context.Context, remote sandbox.Remote) error {
		url, err := remote.Receiver(ctx, c.Way)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(r.Out, "Every kind of webhook is sent to "+url+" from now on.")
		return err
	})
}

type sandboxCausesCmd struct {
	sandboxFlag `embed:""`
}

// Run lists the causes.
func (c *sandboxCausesCmd) Run(r *term.Run) error {
	info, err := sandbox.ReadInfo(c.Dir)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tANSWER\tPATIENT\tCALL\tHOW")
	for _, cause := range info.Causes {
		fmt.Fprintln(table, cause.Line())
	}
	return table.Flush()
}

type sandboxBodyCmd struct {
	sandboxFlag `embed:""`
	Cause       string `arg:"" help:"The name of a cause, as \"frontdesk sandbox causes\" lists it."`
}

// Run prints a body.
func (c *sandboxBodyCmd) Run(r *term.Run) error {
	info, err := sandbox.ReadInfo(c.Dir)
	if err != nil {
		return err
	}
	cause, err := info.Cause(c.Cause)
	if err != nil {
		return err
	}
	return cause.WriteBody(r.Out)
}

type sandboxRemoveCmd struct {
	sandboxFlag `embed:""`
	Yes         bool `help:"Do not ask for confirmation."`
}

// Run removes a sandbox, and prints the folders that it has removed and left.
func (c *sandboxRemoveCmd) Run(r *term.Run) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("find the sandbox's directory: %w", err)
	}
	keeps, err := sandbox.Keeps(dir)
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := r.Confirm("These are removed for good: "+strings.Join(keeps, ", ")+".", "Remove them?"); err != nil {
			return err
		}
	}
	left, err := sandbox.Remove(r.Context, dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Out, "Removed: "+strings.Join(keeps, ", "))
	if len(left) > 0 {
		fmt.Fprintf(r.Out, "Left in %s, because it is no sandbox's: %s\n", dir, strings.Join(left, ", "))
	}
	return nil
}
