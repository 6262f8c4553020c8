package app

import (
	"crypto/x509"
	"log/slog"
	"net/netip"
	"time"
)

// Config is everything that a deployment decides. Only DatabaseURL is needed
// by [Open]; [New] needs the addresses, too.
type Config struct {
	DatabaseURL   string
	Listen        string // the public listener
	PrivateListen string // metrics, health and readiness; "" for none
	APIDomain     string // tenants are served on {tenantId}.<APIDomain> (D36)
	DefaultTenant string // the sandbox's own tenant (D36); "" in production

	JWKSCache             time.Duration // 1 h (§8)
	AuthorisationLifetime time.Duration // 12 h (§8)
	CallsInFlight         int
	CallLimit             time.Duration
	CallConnections       int32
	RateLimit             float64 // calls a second of one application; 0 for no limit (D19)

	AllowNetwork []netip.Prefix // what outbound calls may reach beside the public Internet (D9)
	RootCAs      *x509.CertPool // whom outbound calls trust; nil for the system's

	Now func() time.Time
	Log *slog.Logger
}

func (c *Config) setDefaults() {
	orDefault(&c.JWKSCache, time.Hour)
	orDefault(&c.AuthorisationLifetime, 12*time.Hour)
	orDefault(&c.CallsInFlight, 1024)
	orDefault(&c.CallLimit, time.Minute)
	orDefault(&c.CallConnections, 16)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

func orDefault[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}
