package term

import "frontdesk/adapters/broker"

// BrokerFlags say how the broker is reached.
type BrokerFlags struct {
	NATS            []string `name:"nats" placeholder:"URL" sep:"," help:"Servers of NATS, such as nats://broker-1:4222 or tls://broker-1:4222. User and password may stand in them."`
	NATSCredentials string   `name:"nats-credentials" placeholder:"FILE" help:"Credentials for NATS."`
	NATSCA          string   `name:"nats-ca" placeholder:"FILE" help:"Authority of the certificates of NATS, if it is not one that the system trusts."`
}

// Server returns the servers of NATS, with their credentials.
func (f BrokerFlags) Server() broker.Server {
	return broker.Server{URLs: f.NATS, Credentials: f.NATSCredentials, CA: f.NATSCA}
}
