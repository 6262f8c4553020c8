package app

import (
	"crypto/x509"
	"log/slog"
	"net/netip"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/authorisation"
)

// Config is everything that a deployment decides. [Open] needs the DatabaseURL
// alone; [New] needs the addresses and the MasterKey, too. A zero limit or time
// stands for the default, which is decided where it is used.
type Config struct {
	DatabaseURL   string
	Listen        string // the public listener
	PrivateListen string // metrics, health and readiness; "" for none
	APIDomain     string // tenants are served on {tenantId}.<APIDomain>
	DefaultTenant string // the sandbox's own tenant; "" in production
	AuthURL       string // where browsers reach the staff pages; "" for any loopback host

	JWKSCache             time.Duration // how long a readable key set of an application serves
	AuthorisationLifetime time.Duration // how long an authorisation of staff lasts
	CallsInFlight         int           // calls of the API served at once
	CallLimit             time.Duration // for one call, after its body has arrived
	CallConnections       int32         // to the database, for calls
	RateLimit             float64       // calls a second of one application; 0 for no limit

	Lockout        time.Duration  // the first wait after too many tries to sign in
	SessionIdle    time.Duration  // a session of the staff pages ends that was not seen for so long
	SessionLimit   time.Duration  // every session ends after so long
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	CallInAgeLimit    time.Duration     // call-in events that are older are not told any more
	WebhookAgeLimit   time.Duration     // other events that are older are not told any more
	WebhookTimeout    time.Duration     // for one delivery
	DeliveryRetention time.Duration     // how long it is kept how a delivery ended
	MasterKey         signing.MasterKey // seals the keys that webhooks are signed with; New needs it

	AllowNetwork []netip.Prefix // what outbound calls may reach beside the public Internet
	RootCAs      *x509.CertPool // whom outbound calls trust; nil for the system's

	Now func() time.Time
	Log *slog.Logger
}

func (c *Config) setDefaults() {
	orDefault(&c.JWKSCache, bearer.DefaultTTL)
	orDefault(&c.AuthorisationLifetime, authorisation.DefaultLifetime)
	orDefault(&c.Lockout, signin.DefaultLockout)
	orDefault(&c.SessionIdle, signin.DefaultIdle)
	orDefault(&c.SessionLimit, signin.DefaultLimit)
	orDefault(&c.CallsInFlight, httpapi.DefaultInFlight)
	orDefault(&c.CallLimit, httpapi.DefaultLimit)
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
