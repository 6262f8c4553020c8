package features_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands/commandtest"
)

// theMasterKey is the program's, and in the environment of all command lines. One that is
// to have none is given noMasterKey.
var theMasterKey = sealing.MasterKey{1}

const noMasterKey = "--master-key="

func TestMain(m *testing.M) {
	_ = os.Setenv("FRONTDESK_MASTER_KEY", base64.StdEncoding.EncodeToString(theMasterKey[:])) // it fails for names alone that no environment has
	os.Exit(m.Run())
}

// program is a running frontdesk.
type program struct {
	*app.App
	t     *testing.T
	db    *postgrestest.Database
	clock *commandtest.Clock // of everybody
	ahead atomic.Int64       // how far the practices' clock is moved; nanoseconds
	count int                // scenarios so far

	authority *receiver.Authority // vouches for the applications' webhook receivers
	logKey    notary.Key          // zero until its logs are signed
	errorLog  errorLog
	watching
}

// apiDomain is where the features' practices are served.
const apiDomain = "frontdesk.test"

// startProgram runs the program on a database until the test ends.
func startProgram(t *testing.T, db *postgrestest.Database, edits ...func(*app.Config)) *program {
	t.Helper()
	p := &program{t: t, db: db, clock: commandtest.NewClock(commandtest.Noon)}
	authority, err := receiver.OpenAuthority(t.TempDir(), clock.System())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	config := app.Config{
		DatabaseURL: db.URL,
		Listen:      "127.0.0.1:0",
		APIDomain:   apiDomain,
		// The applications of the features publish their keys on loopback, and
		// receive webhooks there.
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		RootCAs:      roots,
		Now:          p.now,
		RealNow:      p.clock.Now,
		MasterKey:    theMasterKey, PasswordCost: signintest.Cheap,
		Log: slog.New(slog.NewJSONHandler(&p.errorLog, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	for _, edit := range edits {
		edit(&config)
	}
	service, err := app.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	p.App, p.authority = service, authority
	p.runs(service.Run)
	return p
}

// errorLog is what the operator reads of errors.
type errorLog struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write takes a line.
func (l *errorLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// now is what the practices' clock shows.
func (p *program) now() time.Time { return p.clock.Now().Add(time.Duration(p.ahead.Load())) }

// runs has something run until the test ends.
func (p *program) runs(what func(context.Context) error) {
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.WithoutCancel(p.t.Context()))
	running.Go(func() {
		if err := what(ctx); err != nil {
			p.t.Errorf("run: %v", err)
		}
	})
	p.t.Cleanup(func() { stop(); running.Wait() })
}
