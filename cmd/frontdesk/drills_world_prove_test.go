//go:build prove

package main_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// drilled is a service as docs/operate has it: two processes behind HAProxy, a signer and a relay, a receiver of webhooks,
// Prometheus with its exporters, and callers. A process that ends is started again, as systemd does.
type drilled struct {
	*trial   // only its Postgres
	dir      string
	small    string // where the small disk is, if there is one
	program  string
	serve    [2]*service
	beside   []*daemon // the signer and the relay
	proxy    *daemon
	at       drilledAddresses
	trusts   *drillAuthority
	receiver *hookReceiver
	broker   *brokertest.Server
	heard    prometheus
	fired    map[string]bool // before the trouble
	calls    keyed
	stop     func() // the callers

	// of a trouble, until it ends
	frozen  []int
	release func()
}

// service is a process that serves, with a master key of its own.
type service struct {
	*daemon
	place place
	key   string // the file
}

type drilledAddresses struct{ proxy, proxyMetrics, sign, relay, postgres, machine, outside string }

func newDrilled(t *testing.T, one drill) *drilled {
	t.Helper()
	d := &drilled{
		trial: &trial{t: t}, dir: drillDir(t), program: testworld.Binary(t), broker: brokertest.New(t),
		calls: keyed{answered: map[string]uuid.UUID{}}, fired: map[string]bool{},
	}
	for _, at := range []*string{&d.at.proxy, &d.at.proxyMetrics, &d.at.sign, &d.at.relay, &d.at.postgres, &d.at.machine, &d.at.outside} {
		*at = drillAddress(t)
	}
	d.trusts = newDrillAuthority(t, filepath.Join(d.dir, "authority.pem"))
	database := filepath.Join(d.dir, "database")
	if d.must(os.Mkdir(database, 0o711)); one.small == "data" {
		d.hasSmallDisk(database, "400m")
	}
	d.data = filepath.Join(database, "postgres")
	d.startPostgres(database)
	d.archives()
	d.receiver = newHookReceiver(t, d.trusts)
	d.onboard()
	d.hasWebhook()
	logs := filepath.Join(d.dir, "log")
	if d.must(os.Mkdir(logs, 0o755)); one.small == "log" {
		d.hasSmallDisk(logs, "4m")
	}
	d.serves(logs)
	d.signsAndRelays()
	d.proxies(clock.System().Add(usualLife))
	d.client = d.trusts.client(d.at.proxy)
	waitFor(t, func() bool {
		return testworld.Answers("http://"+d.serve[0].place.private+"/readyz") && testworld.Answers("http://"+d.serve[1].place.private+"/readyz")
	})
	d.stop = d.called(one.slow)
	t.Cleanup(d.stop)
	d.monitors()
	return d
}

// drillDir is a folder that Postgres' user can enter.
func drillDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "frontdesk-drill-") //nolint:usetesting // root runs Postgres as a user who cannot enter t.TempDir
	must(t, err)
	must(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func drillAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
}

// hasSmallDisk mounts a file system in memory. To mount one takes root.
func (d *drilled) hasSmallDisk(dir, size string) {
	d.t.Helper()
	d.small = dir
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0711"); err != nil {
		d.t.Fatalf("mount a file system in memory (this takes root): %v", err)
	}
	d.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// archive is the folder that WAL is archived to.
func (d *drilled) archive() string { return filepath.Join(d.dir, "archive") }

// archives has Postgres archive its WAL, as docs/operate/back-up.md says.
func (d *drilled) archives() {
	d.t.Helper()
	of, err := os.Stat(d.data)
	d.must(err)
	owner := of.Sys().(*syscall.Stat_t)
	d.must(os.Mkdir(d.archive(), 0o700))
	d.must(os.Chown(d.archive(), int(owner.Uid), int(owner.Gid)))
	d.ask(`ALTER SYSTEM SET archive_mode = on`)
	d.ask(`ALTER SYSTEM SET archive_timeout = 60`)
	d.ask(`ALTER SYSTEM SET archive_command = '` + d.program + ` backup archive-wal --to ` + d.archive() + ` %p %f'`)
	d.ask(`CREATE ROLE monitor LOGIN IN ROLE pg_monitor`)
	d.signal(syscall.SIGINT)
	<-d.postgres.Done()
	d.must(d.postgres.Restart(d.t.Context()))
}

// hasWebhook has the application receive a webhook of each opened record.
func (d *drilled) hasWebhook() {
	d.t.Helper()
	engine := d.engine()
	defer engine.Close()
	grant := application.Grant{Endpoint: access.OpenCareRecord, Mode: application.ApplicationRestricted}
	d.must(engine.Desk.GrantEndpoint(d.t.Context(), commands.GrantEndpoint{Application: d.integrator.ID, Grant: grant}))
	d.must(engine.Desk.SetWebhook(d.t.Context(), commands.SetWebhook{Application: d.integrator.ID, Event: application.RecordOpened, URL: "https://" + d.receiver.address}))
}

// serves starts two processes, whose logs are files.
func (d *drilled) serves(logs string) {
	d.t.Helper()
	for n := range d.serve {
		s := &service{place: place{drillAddress(d.t), drillAddress(d.t)}, key: filepath.Join(d.dir, "master-"+strconv.Itoa(n)+".key")}
		d.keeps(s)
		log, err := os.OpenFile(filepath.Join(logs, "serve-"+strconv.Itoa(n)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		d.must(err)
		s.daemon = &daemon{t: d.t, log: log, env: []string{"SSL_CERT_FILE=" + d.trusts.file}, args: []string{
			"serve", "--listen", s.place.public, "--private-listen", s.place.private, "--database-url", d.postgres.URL("frontdesk", postgres.AppRole),
			"--api-domain", "example.com", "--auth-url", "https://auth.example.com", "--master-key-file", s.key,
			"--allow-network", "127.0.0.0/8", "--trusted-proxy", "127.0.0.0/8", "--erasure-ledger", filepath.Join(d.dir, "erasures"),
		}}
		s.start(d.program)
		d.t.Cleanup(func() { s.kill(); _ = log.Close() })
		d.serve[n] = s
	}
}

// keeps writes the right master key for a process.
func (d *drilled) keeps(s *service) {
	writeFile(d.t, s.key, base64.StdEncoding.EncodeToString(theMasterKey[:]))
}

func (d *drilled) signsAndRelays() {
	d.t.Helper()
	key, state := filepath.Join(d.dir, "log.key"), filepath.Join(d.dir, "signer")
	runProgram(d.t, "key", "make-log", "--name", "example.com", "--out", key)
	d.must(os.Mkdir(state, 0o700))
	for _, args := range [][]string{
		{"sign", "--log-key-file", key, "--state", state, "--metrics-listen", d.at.sign, "--database-url", d.postgres.URL("frontdesk", postgres.SignerRole)},
		{"relay", "--nats", d.broker.URL(), "--nats-replicas=1", "--metrics-listen", d.at.relay, "--database-url", d.postgres.URL("frontdesk", postgres.AuditRole)},
	} {
		beside := &daemon{t: d.t, args: args}
		beside.start(d.program)
		d.t.Cleanup(beside.kill)
		d.beside = append(d.beside, beside)
	}
}

// proxies starts HAProxy with the operators' file, and a certificate that ends at an instant.
func (d *drilled) proxies(ends time.Time) {
	d.t.Helper()
	certificate, settings := filepath.Join(d.dir, "frontdesk.pem"), filepath.Join(d.dir, "haproxy.cfg")
	writeFile(d.t, certificate, d.trusts.issue(ends))
	text := replaced(d.t, operations(d.t, "haproxy.cfg"), ":443 ssl crt /etc/ssl/frontdesk.pem", d.at.proxy+" ssl crt "+certificate, "127.0.0.1:8405", d.at.proxyMetrics, "bind :80", "bind "+freeAddress(d.t))
	writeFile(d.t, settings, replicasIn(d.t, text, d.serve[0].place, d.serve[1].place))
	if d.proxy == nil {
		d.proxy = &daemon{t: d.t, args: []string{"-db", "-f", settings}}
		d.t.Cleanup(func() { d.proxy.kill() })
	} else {
		d.proxy.kill()
	}
	d.proxy.start(rootsOwn("haproxy"))
	waitFor(d.t, func() bool { return listens(d.at.proxy) })
}

// superuser connects to the database.
func (d *drilled) superuser() *pgx.Conn {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.postgres.URL("frontdesk", embedded.Superuser))
	d.must(err)
	return conn
}

// holds has a session hold a lock until the function is called.
func (d *drilled) holds(sql string) (release func()) {
	d.t.Helper()
	conn := d.superuser()
	tx, err := conn.Begin(d.t.Context())
	d.must(err)
	_, err = tx.Exec(d.t.Context(), sql)
	d.must(err)
	return func() {
		ctx := context.WithoutCancel(d.t.Context())
		_ = tx.Rollback(ctx)
		_ = conn.Close(ctx)
	}
}

// client calls the proxy by each name of the certificate.
func (a *drillAuthority) client(proxy string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 2 * drillCallers, TLSClientConfig: &tls.Config{RootCAs: a.pool, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", proxy)
		},
	}}
}
