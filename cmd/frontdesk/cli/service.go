package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/authorisation"
)

// lifetimeFlag shortens authorisations, so that a test can see one end.
type lifetimeFlag struct {
	AuthorisationLifetime time.Duration `default:"${authorisation_lifetime}" help:"How long an authorisation lasts."`
}

// staffPagesFlags are the limits of the staff pages.
type staffPagesFlags struct {
	Lockout      time.Duration  `default:"${lockout}" help:"The first wait after too many wrong passwords; it doubles with each further one."`
	SessionIdle  time.Duration  `default:"${session_idle}" help:"Staff who do nothing for so long have to sign in again."`
	SessionLimit time.Duration  `default:"${session_limit}" help:"And everybody after so long."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"Network of proxies whose X-Forwarded-For tells where calls come from and staff sign in from; may be repeated."`
}

// lifetimeFlags are the lifetimes and limits of a service, so that a test can
// shorten them.
type lifetimeFlags struct {
	lifetimeFlag    `embed:""`
	staffPagesFlags `embed:""`
	webhookFlags    `embed:""`
	CallsInFlight   int      `default:"${calls_in_flight}" help:"Calls judged and answered at once, of which each application and each source has a share; more are answered 503."`
	RateLimit       float64  `default:"${rate_limit}" help:"Calls a second of one application, in each process; more are answered 429. 0 is no limit."`
	DailyBytes      byteSize `default:"${daily_bytes}" help:"Bytes of bodies that one application may send in 24 hours, in each process; more are answered 429. 0 is no limit."`
	PrivateListen   string   `default:"127.0.0.1:9090" placeholder:"HOST:PORT" help:"Where metrics, health and readiness are served."`
}

// serviceDefaults are the lifetimes and limits that hold if the flags are not
// given.
func serviceDefaults() map[string]string {
	return map[string]string{
		"drain_delay":            short(app.DefaultDrainDelay),
		"call_connections":       strconv.Itoa(app.DefaultCallConnections),
		"background_connections": strconv.Itoa(app.DefaultBackgroundConnections),
		"log_calls":              string(httpapi.AllLines),
		"traces_share":           strconv.FormatFloat(tracing.DefaultShare, 'g', -1, 64),
		"upload_connections":     strconv.Itoa(app.DefaultUploadConnections),
		"authorisation_lifetime": short(authorisation.DefaultLifetime),
		"lockout":                short(signin.DefaultLockout),
		"session_idle":           short(signin.DefaultIdle),
		"session_limit":          short(signin.DefaultLimit),
		"jwks_cache":             short(bearer.DefaultTTL),
		"calls_in_flight":        strconv.Itoa(httpapi.DefaultSlots),
		"rate_limit":             strconv.Itoa(httpapi.DefaultRate),
		"daily_bytes":            byteSize(httpapi.DefaultDailyBytes).String(),
	}
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

func (f lifetimeFlags) apply(c *app.Config) {
	f.webhookFlags.apply(c)
	c.Lockout, c.SessionIdle, c.SessionLimit, c.TrustedProxies = f.Lockout, f.SessionIdle, f.SessionLimit, f.TrustedProxy
	c.AuthorisationLifetime = f.AuthorisationLifetime
	c.CallsInFlight, c.PrivateListen = f.CallsInFlight, f.PrivateListen
	c.RateLimit, c.DailyBytes = cmp.Or(f.RateLimit, app.NoLimit), cmp.Or(int64(f.DailyBytes), app.NoLimit)
}

// drainFlag is for a service that has proxies in front of it.
type drainFlag struct {
	DrainDelay time.Duration `default:"${drain_delay}" help:"When told to stop, it is not ready any more but goes on accepting calls for so long, so that proxies can move over."`
}

type serveCmd struct {
	databaseFlag   `embed:""`
	lifetimeFlags  `embed:""`
	networkFlag    `embed:""`
	masterKeyFlags `embed:""`
	oldKeyFlags    `embed:""`
	ledgerFlag     `embed:""`
	drainFlag      `embed:""`
	runningFlags   `embed:""`
	brokerFlags    `embed:""`
	streamFlags    `embed:""`
	JWKSCache      time.Duration `name:"jwks-cache" default:"${jwks_cache}" help:"How long a readable key set serves."`
	Listen         string        `required:"" placeholder:"HOST:PORT" help:"Where the API is served, behind your TLS."`
	APIDomain      string        `name:"api-domain" required:"" placeholder:"DOMAIN" help:"Practices are served on {tenantId}.DOMAIN."`
	AuthURL        string        `name:"auth-url" required:"" placeholder:"URL" help:"Where the staff pages are reached."`
	Durability     string        `enum:"asynchronous,synchronous" default:"asynchronous" help:"With 'synchronous', serve only while a standby holds each commit before it is answered."`
}

// Run serves until it is told to stop, or checks whether it could.
func (c *serveCmd) Run(r *run, parsed *kong.Context) error {
	config, err := c.config(r)
	if c.Check {
		return c.check(r, parsed, config, err)
	}
	if err != nil {
		return err
	}
	service, err := app.New(r.ctx, config)
	if err != nil {
		return err
	}
	service.WarnWithoutLedger(r.ctx)
	if err := c.announce(r, config.Log, service); err != nil {
		service.Close()
		return err
	}
	if err := service.Run(r.ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (c *serveCmd) config(r *run) (app.Config, error) {
	config := app.Config{
		DatabaseURL: c.DatabaseURL, Durability: postgres.Durability(c.Durability), Listen: c.Listen, APIDomain: c.APIDomain, AuthURL: c.AuthURL,
		AllowNetwork: c.AllowNetwork,
	}
	c.lifetimeFlags.apply(&config)
	c.runningFlags.apply(r, &config)
	config.JWKSCache, config.DrainDelay, config.ErasureLedger = c.JWKSCache, c.DrainDelay, c.ErasureLedger
	config.Broker, config.BrokerStreams = c.server(), c.streams()
	var err error
	if config.MasterKey, err = c.read(r); err != nil {
		return config, err
	}
	config.OldMasterKey, err = c.readOld(r)
	return config, err
}

type migrateCmd struct {
	databaseFlag `embed:""`
	configFlag   `embed:""`
	ChangeOwner  string        `placeholder:"ROLE" help:"First give the database and everything of frontdesk in it to this role, which is no superuser."`
	Wait         time.Duration `default:"10m" help:"How long to ask for a table that somebody else holds. Calls go on meanwhile."`
}

type rolesCmd struct{}

// Run prints the SQL. The program does not run it, because it needs no superuser's password.
func (c *rolesCmd) Run(r *run) error {
	_, err := io.WriteString(r.Out, postgres.RolesSQL)
	return err
}

// migrationLimit bounds a whole migration. To build an index on a long log takes
// time.
const migrationLimit = time.Hour

// Run brings the schema up to date.
func (c *migrateCmd) Run(r *run) error { return postgres.Named(c.migrate(r)) }

func (c *migrateCmd) migrate(r *run) error {
	ctx, cancel := context.WithTimeout(r.ctx, migrationLimit)
	defer cancel()
	migrator := postgres.Migrator{URL: c.DatabaseURL, Wait: c.Wait, Tell: r.tell}
	if c.ChangeOwner != "" {
		given, err := migrator.ChangeOwner(ctx, c.ChangeOwner)
		if err != nil {
			return err
		}
		fmt.Fprintln(r.Out, given)
	}
	migrated, err := migrator.Migrate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Out, migrated)
	return nil
}

// tell says at once who is waited for, also where the output is no terminal.
func (r *run) tell(text string) { fmt.Fprintln(r.Err, "waiting: "+text) }
