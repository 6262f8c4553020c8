package app

import (
	"crypto/x509"
	"log/slog"
	"net/netip"
	"time"

	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
)

// Config is everything that a deployment decides. Only DatabaseURL is needed
// by [Open]; [New] needs the addresses, too.
type Config struct {
	DatabaseURL   string
	Listen        string // the public listener
	PrivateListen string // metrics, health and readiness; "" for none
	APIDomain     string // tenants are served on {tenantId}.<APIDomain> (D36)
	DefaultTenant string // the sandbox's own tenant (D36); "" in production
	AuthURL       string // where browsers reach the staff pages; "" on any loopback host (D36)

	JWKSCache             time.Duration // 1 h (§8)
	AuthorisationLifetime time.Duration // 12 h (§8)
	CallsInFlight         int
	CallLimit             time.Duration
	CallConnections       int32
	RateLimit             float64 // calls a second of one application; 0 for no limit (D19)

	Lockout        time.Duration  // the first wait after too many tries to sign in (D27)
	SessionIdle    time.Duration  // a session of the staff pages that shows nothing for so long ends
	SessionLimit   time.Duration  // and every one after so long
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed (D27)

	CallInAgeLimit    time.Duration     // call-in events that are older are not told any more
	WebhookAgeLimit   time.Duration     // other events that are older are not told any more
	WebhookTimeout    time.Duration     // for one delivery
	DeliveryRetention time.Duration     // how long it is kept how a delivery ended
	MasterKey         signing.MasterKey // seals the keys that webhooks are signed with; New needs it

	AllowNetwork []netip.Prefix // what outbound calls may reach beside the public Internet (D9)
	RootCAs      *x509.CertPool // whom outbound calls trust; nil for the system's

	Now func() time.Time
	Log *slog.Logger
}

func (c *Config) setDefaults() {
	orDefault(&c.JWKSCache, time.Hour)
	orDefault(&c.AuthorisationLifetime, 12*time.Hour)
	orDefault(&c.Lockout, time.Minute)
	orDefault(&c.SessionIdle, 30*time.Minute)
	orDefault(&c.SessionLimit, 12*time.Hour)
	orDefault(&c.CallsInFlight, 1024)
	orDefault(&c.CallLimit, time.Minute)
	orDefault(&c.CallConnections, 16)
	orDefault(&c.CallInAgeLimit, webhooks.DefaultCallInAge)
	orDefault(&c.WebhookAgeLimit, webhooks.DefaultAge)
	orDefault(&c.WebhookTimeout, webhooks.DefaultTimeout)
	orDefault(&c.DeliveryRetention, webhooks.DefaultRetention)
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
