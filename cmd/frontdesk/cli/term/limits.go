package term

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/tracing"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
)

// LifetimeFlags are the lifetimes and limits of a service, so that a test can
// shorten them.
type LifetimeFlags struct {
	LifetimeFlag    `embed:""`
	staffPagesFlags `embed:""`
	webhookFlags    `embed:""`
	CallsInFlight   int      `default:"${calls_in_flight}" help:"Concurrent calls, of which each application and each source has a share. Further calls get 503."`
	RateLimit       float64  `default:"${rate_limit}" help:"Calls a second of one application, in each process, with bursts of ten seconds' calls. Further calls get 429. 0 is no limit."`
	DailyBytes      byteSize `default:"${daily_bytes}" help:"Bytes of bodies that one application may send in 24 hours, in each process. Further calls get 429. 0 is no limit."`
	PrivateListen   string   `default:"127.0.0.1:9090" placeholder:"HOST:PORT" help:"Where metrics, health and readiness are served."`
}

// LifetimeFlag shortens authorisations, so that a test can see one end.
type LifetimeFlag struct {
	AuthorisationLifetime time.Duration `default:"${authorisation_lifetime}" help:"How long an authorisation lasts."`
}

// staffPagesFlags are the limits of the staff pages.
type staffPagesFlags struct {
	Lockout      time.Duration  `default:"${lockout}" help:"The first wait after too many wrong passwords; it doubles with each further one."`
	SessionIdle  time.Duration  `default:"${session_idle}" help:"Idle time after which staff must sign in again."`
	SessionLimit time.Duration  `default:"${session_limit}" help:"Maximum length of a staff session."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"Network of proxies whose X-Forwarded-For gives the source of calls and sign-ins; may be repeated."`
}

// ApplyLimits sets the lifetimes and limits of a service.
func (f LifetimeFlags) ApplyLimits(c *app.Config) {
	f.applyWebhooks(c)
	c.Lockout, c.SessionIdle, c.SessionLimit, c.TrustedProxies = f.Lockout, f.SessionIdle, f.SessionLimit, f.TrustedProxy
	c.AuthorisationLifetime = f.AuthorisationLifetime
	c.CallsInFlight, c.PrivateListen = f.CallsInFlight, f.PrivateListen
	c.RateLimit, c.DailyBytes = cmp.Or(f.RateLimit, app.NoLimit), cmp.Or(int64(f.DailyBytes), app.NoLimit)
}

// webhookFlags are the limits of webhooks.
type webhookFlags struct {
	CallInAgeLimit    time.Duration `default:"${call_in_age}" help:"Maximum age of a call-in event for its webhook to be sent."`
	WebhookAgeLimit   time.Duration `default:"${webhook_age}" help:"Maximum age of any other event for its webhook to be sent."`
	WebhookTimeout    time.Duration `default:"${webhook_timeout}" help:"Maximum duration of one webhook, including its response."`
	DeliveryRetention time.Duration `default:"${delivery_retention}" help:"How long the details of webhook deliveries are kept. The history of webhooks is kept as long as the access record."`
}

// applyWebhooks sets the limits of webhooks.
func (f webhookFlags) applyWebhooks(c *app.Config) {
	c.CallInAgeLimit, c.WebhookAgeLimit = f.CallInAgeLimit, f.WebhookAgeLimit
	c.WebhookTimeout, c.DeliveryRetention = f.WebhookTimeout, f.DeliveryRetention
}

// LedgerFlag is for commands that erase, or serve a database that may be restored.
type LedgerFlag struct {
	ErasureLedger string `placeholder:"FILE" help:"File that records the erased people, stored apart from the backups of the database."`
}

// ServiceDefaults are the lifetimes and limits that hold if the flags are not
// given.
func ServiceDefaults() map[string]string {
	return map[string]string{
		"drain_delay":            Short(app.DefaultDrainDelay),
		"call_connections":       strconv.Itoa(app.DefaultCallConnections),
		"background_connections": strconv.Itoa(app.DefaultBackgroundConnections),
		"log_calls":              string(httpapi.AllLines),
		"traces_share":           strconv.FormatFloat(tracing.DefaultShare, 'g', -1, 64),
		"upload_connections":     strconv.Itoa(app.DefaultUploadConnections),
		"authorisation_lifetime": Short(authorisation.DefaultLifetime),
		"lockout":                Short(signin.DefaultLockout),
		"session_idle":           Short(signin.DefaultIdle),
		"session_limit":          Short(signin.DefaultLimit),
		"jwks_cache":             Short(bearer.DefaultTTL),
		"calls_in_flight":        strconv.Itoa(httpapi.DefaultSlots),
		"rate_limit":             strconv.Itoa(httpapi.DefaultRate),
		"daily_bytes":            byteSize(httpapi.DefaultDailyBytes).String(),
	}
}

// WebhookDefaults are the limits that hold if the flags are not given, and the
// event kinds that can be given.
func WebhookDefaults() map[string]string {
	return map[string]string{
		"call_in_age":        Short(webhooks.DefaultCallInAge),
		"webhook_age":        Short(webhooks.DefaultAge),
		"webhook_timeout":    Short(webhooks.DefaultTimeout),
		"delivery_retention": Short(webhooks.DefaultRetention),
		"webhook_kinds":      application.WebhookNames(),
	}
}

// Short writes 2m for 2m0s, and 720h for 720h0m0s.
func Short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// byteSize is a number of bytes. It is written as a whole number, which KiB, MiB, GiB
// or TiB may follow.
type byteSize int64

var byteUnits = []string{"", "KiB", "MiB", "GiB", "TiB"}

// UnmarshalText reads a number and its unit.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits := strings.TrimRight(string(text), "KMGTiB")
	power := slices.Index(byteUnits, string(text[len(digits):]))
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || power < 0 || n > math.MaxInt64>>(10*power) {
		return fmt.Errorf("%q is no number of bytes: write 500MiB or 50GiB", text)
	}
	*b = byteSize(n << (10 * power))
	return nil
}

// String returns the number in the largest unit in which it is whole.
func (b byteSize) String() string {
	power := 0
	for ; power < len(byteUnits)-1 && b > 0 && b%1024 == 0; power++ {
		b /= 1024
	}
	return strconv.FormatInt(int64(b), 10) + byteUnits[power]
}

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
