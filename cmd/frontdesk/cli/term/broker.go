package term

import "frontdesk/adapters/broker"

// BrokerFlags give the address of the broker and the credentials.
type BrokerFlags struct {
	NATS            []string `name:"nats" placeholder:"URL" sep:"," help:"NATS servers, such as nats://broker-1:4222 or tls://broker-1:4222. They may contain a user and password."`
	NATSCredentials string   `name:"nats-credentials" placeholder:"FILE" help:"Credentials for NATS."`
	NATSCA          string   `name:"nats-ca" placeholder:"FILE" help:"Certificate authority (PEM) of the NATS servers, if the system does not trust it."`
}

// Server returns the servers of NATS, with their credentials.
func (f BrokerFlags) Server() broker.Server {
	return broker.Server{URLs: f.NATS, Credentials: f.NATSCredentials, CA: f.NATSCA}
}
