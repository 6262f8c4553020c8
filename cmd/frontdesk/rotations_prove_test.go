//go:build prove

package main_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/signingkey"

	"frontdesk.example/client"
)

// TestProveRotationsFailNoCall_D178 rotates every secret while calls and webhooks go on: the login role of the service with
// its password, the certificate of the proxy, the master key, and the key that signs webhooks. Every call is answered
// 200 and stored once, and every webhook has a signature that its receiver verifies.
func TestProveRotationsFailNoCall_D178(t *testing.T) {
	receiver := newHookCounter(t)
	trusted := filepath.Join(t.TempDir(), "receiver.pem")
	writeFile(t, trusted, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw})))
	t.Setenv("SSL_CERT_FILE", trusted)
	s := newDeployment(t, startHAProxy)
	r := rotating{deployment: s, admin: s.db.SuperuserPool(t), key: s.first.args[slices.Index(s.first.args, "--master-key-file")+1]}
	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: s.proxy.url("elm-street", "/transactional-api/jwks"), HTTP: s.proxy.client, Now: clock.System})
	must(t, err)
	receiver.verifier = verifier
	r.hasWebhook(receiver.URL)
	r.servesAs("serve_1")
	calls := s.callAllAlong()
	opened := r.opensRecords()
	for _, rotates := range []func(){r.rotatesRole, r.rotatesCertificate, r.rotatesMasterKey, r.rotatesSigningKey} {
		before := calls.answered()
		rotates()
		waitFor(t, func() bool { return calls.answered() > before+100 })
	}
	calls.end()
	records := opened()
	s.compare(calls)
	waitFor(t, func() bool { return r.asks(`SELECT count(*) FROM deliveries WHERE status = 'pending'`) == 0 })
	if failed := r.asks(`SELECT count(*) FROM deliveries WHERE status <> 'delivered'`); failed > 0 {
		t.Errorf("%d webhooks were not delivered", failed)
	}
	if received := len(receiver.times); received < records || records == 0 {
		t.Errorf("%d records were opened, and %d webhooks were received", records, received)
	}
	provetest.Tried(t, 4, "rotations")
	provetest.Tried(t, calls.ok, "calls answered")
	provetest.Tried(t, len(receiver.times), "webhooks verified")
}

// rotating is a deployment whose secrets are rotated.
type rotating struct {
	*deployment
	admin *pgxpool.Pool // of a superuser
	key   string        // the file of the master key
	role  string        // that serves
}

// servesAs makes a login role, and has both processes connect as it, one after the other.
func (r *rotating) servesAs(name string) {
	r.t.Helper()
	r.role = fmt.Sprintf("%s_%d", name, clock.System().UnixNano()) // roles are the cluster's, which tests share
	r.does(`CREATE ROLE ` + r.role + ` LOGIN PASSWORD 'maple kettle orbit' IN ROLE frontdesk_app`)
	r.t.Cleanup(func() { r.does(`DROP ROLE IF EXISTS ` + r.role) })
	at, err := url.Parse(r.db.URL)
	must(r.t, err)
	query := at.Query()
	query.Set("user", r.role)
	at.User, at.RawQuery = url.UserPassword(r.role, "maple kettle orbit"), query.Encode()
	for _, process := range []*replica{r.first, r.second} {
		process.args = slices.Clone(process.args)
		process.args[slices.Index(process.args, "--database-url")+1] = at.String()
		process.stop()
		process.start(testworld.Binary(r.t))
	}
}

// rotatesRole has another role serve, and drops the first one, as docs/operate/rotate-passwords.md says.
func (r *rotating) rotatesRole() {
	r.t.Helper()
	first := r.role
	r.servesAs("serve_2")
	if sessions := r.asks(`SELECT count(*) FROM pg_stat_activity WHERE usename = '` + first + `'`); sessions != 0 {
		r.t.Errorf("the first role has %d sessions", sessions)
	}
	r.does(`DROP ROLE ` + first)
}

// rotatesCertificate has HAProxy read a new certificate.
func (r *rotating) rotatesCertificate() {
	r.t.Helper()
	issuer := newDrillAuthority(r.t, filepath.Join(r.t.TempDir(), "authority.pem"))
	r.proxy.client.Transport.(*http.Transport).TLSClientConfig.RootCAs.AddCert(issuer.self)
	writeFile(r.t, r.proxy.certificate, issuer.issue(clock.System().Add(usualLife)))
	must(r.t, r.proxy.process.Process.Signal(syscall.SIGUSR2))
	waitFor(r.t, func() bool { // a new connection has the new one
		conn, err := tls.Dial("tcp", r.proxy.address, &tls.Config{ServerName: "elm-street.example.com", RootCAs: issuer.pool, MinVersion: tls.VersionTLS12})
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// rotatesMasterKey runs the command of docs/operate/rotate-the-master-key.md.
func (r *rotating) rotatesMasterKey() {
	r.t.Helper()
	rotate := exec.CommandContext(r.t.Context(), testworld.Binary(r.t), "key", "rotate-master", "--database-url", r.db.AdminURL, "--master-key-file", r.key)
	if said, err := rotate.CombinedOutput(); err != nil {
		r.t.Fatalf("rotate: %v: %s", err, said)
	}
	if keys := r.asks(`SELECT count(*) FROM master_keys`); keys != 2 {
		r.t.Errorf("the database knows %d master keys", keys)
	}
}

// rotatesSigningKey stages a key a day ago, and activates it.
func (r *rotating) rotatesSigningKey() {
	r.t.Helper()
	var staged signingkey.KID
	r.asEngine(25*time.Hour, func(engine *app.Engine) (err error) {
		staged, err = engine.Desk.StageSigningKey(r.t.Context())
		return err
	})
	r.asEngine(0, func(engine *app.Engine) error {
		return engine.Desk.ActivateSigningKey(r.t.Context(), commands.ActivateSigningKey{KID: staged})
	})
}

// asEngine opens an engine on the database whose clock is behind.
func (r *rotating) asEngine(behind time.Duration, do func(*app.Engine) error) {
	r.t.Helper()
	ring, err := sealing.ReadRing(r.key)
	must(r.t, err)
	engine, err := app.Open(r.t.Context(), app.Config{
		DatabaseURL: r.db.URL, AllowNetwork: loopback, MasterKeys: sealing.NewRing(ring...), Now: func() time.Time { return clock.System().Add(-behind) },
	})
	must(r.t, err)
	defer engine.Close()
	must(r.t, do(engine))
}

// hasWebhook has the application open records, and receive a webhook of each.
func (r *rotating) hasWebhook(at string) {
	r.t.Helper()
	r.asEngine(0, func(engine *app.Engine) error {
		grant := application.Grant{Endpoint: access.OpenCareRecord, Mode: application.ApplicationRestricted}
		return errors.Join(
			engine.Desk.GrantEndpoint(r.t.Context(), commands.GrantEndpoint{Application: r.integrator.ID, Grant: grant}),
			engine.Desk.SetWebhook(r.t.Context(), commands.SetWebhook{Application: r.integrator.ID, Event: application.RecordOpened, URL: at}),
		)
	})
}

// opensRecords makes a call a second that causes a webhook, until the function is called, which returns how many were answered.
func (r *rotating) opensRecords() (stop func() int) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	var calling sync.WaitGroup
	opened := 0
	calling.Go(func() {
		for ; ctx.Err() == nil; pauseFor(ctx, time.Second) {
			if err := r.opensRecord(ctx); err != nil {
				r.t.Errorf("a record was not opened: %v", err)
				continue
			}
			opened++
		}
	})
	return func() int { cancel(); calling.Wait(); return opened }
}

func (r *rotating) opensRecord(ctx context.Context) error {
	call, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, r.proxy.url("elm-street", "/transactional-api/open-care-record"),
		strings.NewReader(fmt.Sprintf(`{"patientId":%q}`, r.patient)))
	if err != nil {
		return err
	}
	call.Header.Set("Authorization", "Bearer "+r.integrator.Token(clock.System()))
	response, err := r.proxy.client.Do(call)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", response.Status)
	}
	return nil
}

// asks asks the database for a number.
func (r *rotating) asks(sql string) (number int) {
	r.t.Helper()
	must(r.t, r.admin.QueryRow(r.t.Context(), sql).Scan(&number))
	return number
}

// does changes the database as a superuser.
func (r *rotating) does(sql string) {
	r.t.Helper()
	_, err := r.admin.Exec(context.WithoutCancel(r.t.Context()), sql)
	must(r.t, err)
}
