package app

import (
	"cmp"
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/tracing"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
)

// Config is the configuration of a deployment. [Open] needs only the DatabaseURL; [New] also
// needs the addresses and a master key. A zero limit or time means the default of the
// package that uses it.
type Config struct {
	DatabaseURL string
	Durability  postgres.Durability // required of the database by [New] and readiness; "" for asynchronous

	Listening     Listening // opens the listeners; nil for the system's
	Listen        string    // address of the public listener
	PrivateListen string    // address for metrics, health and readiness; "" for none
	Profiles      bool      // also serves profiles there
	APIDomain     string    // tenants are served on {tenantId}.<APIDomain>
	DefaultTenant string    // the sandbox's own tenant; "" in production
	AuthURL       string    // where browsers reach the staff pages; "" for any loopback host

	HSTSSubdomains bool // browsers also use TLS for all names below that of AuthURL

	// Docs serves /docs and below on the public listener. Nil disables it; only sandboxes set
	// it (D98).
	Docs http.Handler

	JWKSCache             time.Duration // how long an application's key set is cached
	AuthorisationLifetime time.Duration // how long an authorisation of staff lasts
	CallsInFlight         int           // slots of the API
	CallLimit             time.Duration // for the work of a call that holds a permit
	CallConnections       int32         // to the database, for calls
	BackgroundConnections int32         // to the database, for all other work
	UploadConnections     int32         // to the database, for files that arrive
	RateLimit             float64       // calls a second of one application, with bursts of ten seconds' calls, or NoLimit
	DailyBytes            int64         // of bodies that one application sends, or NoLimit
	Strict                bool          // refuse fields that are not in the contract; for sandboxes, see D93

	PasswordCost   signin.Cost    // of new hashes; zero is signin.DefaultCost, and only tests set another
	Lockout        time.Duration  // the first wait after too many tries to sign in
	SessionIdle    time.Duration  // how long a session of the staff pages lasts without a call
	SessionLimit   time.Duration  // how long a session lasts at most
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted

	CallInAgeLimit    time.Duration // applications are not notified of older call-ins
	WebhookAgeLimit   time.Duration // applications are not notified of other events that are older
	WebhookTimeout    time.Duration // for one delivery
	DeliveryRetention time.Duration // how long every detail of a delivery's outcome is kept
	MasterKeys        *sealing.Ring // encrypt personal data and the keys that webhooks are signed with; New needs one

	SigningKeyBits int // size of a key that is staged; 0 for signing.KeyBits

	// ReadMasterKeys reads the master keys again while the app runs; nil if they cannot change.
	ReadMasterKeys func(ctx context.Context) ([]sealing.MasterKey, error)

	Broker        broker.Server // receives the log; no relay runs without an address
	BrokerStreams broker.Streams

	ErasureLedger string // file that keeps erasures across a restore; "" for none

	AllowNetwork []netip.Prefix // networks that outbound calls may reach in addition to the public Internet
	RootCAs      *x509.CertPool // roots that outbound calls trust; nil for the system's

	DrainDelay    time.Duration // between the order to stop and the end of accepting; 0 for none
	ShutdownLimit time.Duration // for the calls that are accepted by then

	// Obstacle checks the patient of each call that is allowed, before the answer. Its error
	// becomes the answer. Nil disables it; only sandboxes set it.
	Obstacle func(ctx context.Context, about patient.ID) error

	Now     func() time.Time // the practice's clock: it dates and judges events
	Machine func() time.Time // the machine's clock, which is compared with the database's; nil for clock.System
	RealNow func() time.Time // the real clock, for tokens, signatures, key sets, browsers and budgets; nil for Now (D96)
	Log     *slog.Logger
	Calls   httpapi.Lines   // which calls have a line in the log
	Tracer  pgx.QueryTracer // traces every statement; nil for none
	Traces  tracing.Config  // where traces go; zero for nowhere. The version is filled in
}

// Listening opens a listener as [net.ListenConfig.Listen] does.
type Listening func(ctx context.Context, network, address string) (net.Listener, error)

// NoLimit disables a limit, because zero means the default.
const NoLimit = -1

func (c *Config) setDefaults() {
	c.JWKSCache = cmp.Or(c.JWKSCache, bearer.DefaultTTL)
	c.AuthorisationLifetime = cmp.Or(c.AuthorisationLifetime, authorisation.DefaultLifetime)
	c.Lockout = cmp.Or(c.Lockout, signin.DefaultLockout)
	c.SessionIdle = cmp.Or(c.SessionIdle, signin.DefaultIdle)
	c.SessionLimit = cmp.Or(c.SessionLimit, signin.DefaultLimit)
	c.CallsInFlight = cmp.Or(c.CallsInFlight, httpapi.DefaultSlots)
	c.CallLimit = cmp.Or(c.CallLimit, httpapi.DefaultLimit)
	c.RateLimit = cmp.Or(c.RateLimit, httpapi.DefaultRate)
	c.DailyBytes = cmp.Or(c.DailyBytes, httpapi.DefaultDailyBytes)
	c.CallConnections = cmp.Or(c.CallConnections, DefaultCallConnections)
	c.BackgroundConnections = cmp.Or(c.BackgroundConnections, DefaultBackgroundConnections)
	c.UploadConnections = cmp.Or(c.UploadConnections, DefaultUploadConnections)
	c.CallInAgeLimit = cmp.Or(c.CallInAgeLimit, webhooks.DefaultCallInAge)
	c.WebhookAgeLimit = cmp.Or(c.WebhookAgeLimit, webhooks.DefaultAge)
	c.WebhookTimeout = cmp.Or(c.WebhookTimeout, webhooks.DefaultTimeout)
	c.DeliveryRetention = cmp.Or(c.DeliveryRetention, webhooks.DefaultRetention)
	c.ShutdownLimit = cmp.Or(c.ShutdownLimit, shutdownLimit)
	if c.Machine == nil {
		c.Machine = clock.System
	}
	if c.Now == nil {
		c.Now = clock.System
	}
	if c.RealNow == nil {
		c.RealNow = c.Now
	}
	if c.Listening == nil {
		c.Listening = (&net.ListenConfig{}).Listen
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}
