package service

import (
	"time"

	"frontdesk/adapters/broker"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

// streamFlags set the properties of the relay's streams.
type streamFlags struct {
	NATSReplicas  int           `name:"nats-replicas" default:"3" placeholder:"N" help:"Number of NATS servers that store each event; 1 if there is only one."`
	NATSRetention time.Duration `name:"nats-retention" placeholder:"DURATION" help:"How long NATS keeps events; without it, indefinitely."`
}

func (f streamFlags) streams() broker.Streams {
	return broker.Streams{Replicas: f.NATSReplicas, Retention: f.NATSRetention}
}

// RelayCmd hands the event log to NATS.
type RelayCmd struct {
	term.DatabaseFlag `embed:""`
	configFlag        `embed:""`
	term.LogFlags     `embed:""`
	term.BrokerFlags  `embed:""`
	streamFlags       `embed:""`
	MetricsListen     string `placeholder:"HOST:PORT" help:"Where metrics are served. Without it, they are not served."`
}

// Help returns the details, which a help text has no room for.
func (c *RelayCmd) Help() string {
	return `Copies the event log to NATS JetStream, for followers that do not read the database. "serve --nats" does the same; this is for
another machine, with the role frontdesk_audit. Run as many as you like. Personal values stay in the database. It waits for a broker or a
database that is away, and for a standby to be promoted.
If the broker holds events that the log has lost, it ends: run "frontdesk audit begin-epoch" if the database was restored.`
}

// Run relays until it is stopped.
func (c *RelayCmd) Run(r *term.Run) error {
	return app.Relay{
		DatabaseURL: c.DatabaseURL, Broker: c.Server(), Streams: c.streams(), MetricsListen: c.MetricsListen, Log: c.Log(r.Err),
	}.Run(r.Context)
}
