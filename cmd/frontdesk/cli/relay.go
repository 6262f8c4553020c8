package cli

import (
	"time"

	"frontdesk/adapters/broker"
	"frontdesk/cmd/frontdesk/app"
)

// brokerFlags say how the broker is reached.
type brokerFlags struct {
	NATS            []string `name:"nats" placeholder:"URL" sep:"," help:"Servers of NATS, such as nats://broker-1:4222 or tls://broker-1:4222. User and password may stand in them."`
	NATSCredentials string   `name:"nats-credentials" placeholder:"FILE" help:"Credentials for NATS."`
	NATSCA          string   `name:"nats-ca" placeholder:"FILE" help:"Authority of the certificates of NATS, if it is not one that the system trusts."`
}

func (f brokerFlags) server() broker.Server {
	return broker.Server{URLs: f.NATS, Credentials: f.NATSCredentials, CA: f.NATSCA}
}

// streamFlags say what the relay makes its streams like.
type streamFlags struct {
	NATSReplicas  int           `name:"nats-replicas" default:"3" placeholder:"N" help:"Servers of NATS that hold each event; 1 if there is only one."`
	NATSRetention time.Duration `name:"nats-retention" placeholder:"DURATION" help:"How long NATS keeps events; for good if it is not given."`
}

func (f streamFlags) streams() broker.Streams {
	return broker.Streams{Replicas: f.NATSReplicas, Retention: f.NATSRetention}
}

type relayCmd struct {
	databaseFlag  `embed:""`
	configFlag    `embed:""`
	logFlags      `embed:""`
	brokerFlags   `embed:""`
	streamFlags   `embed:""`
	MetricsListen string `placeholder:"HOST:PORT" help:"Where metrics are served; nowhere if it is not given."`
}

// Help says what a help text has no room for.
func (c *relayCmd) Help() string {
	return `Hands the event log to NATS JetStream, for followers who are not to read the database. "serve --nats" does the same; this is for
another machine, with the role frontdesk_audit. Run as many as you like. Personal values stay in the database. It waits for a broker or a
database that is away, for a standby to be promoted, and for a log in clear to be sealed.
If the broker holds events that the log has lost, it ends: run "frontdesk audit begin-epoch" if the database was restored.`
}

// Run relays until it is told to stop.
func (c *relayCmd) Run(r *run) error {
	return app.Relay{
		DatabaseURL: c.DatabaseURL, Broker: c.server(), Streams: c.streams(), MetricsListen: c.MetricsListen, Log: c.log(r.Err),
	}.Run(r.ctx)
}
