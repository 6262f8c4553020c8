package features_test

import (
	"encoding/base64"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands/commandtest"
)

// noMasterKey is for a command line without a master key. All others have the program's
// in the environment.
const noMasterKey = "--master-key="

func TestMain(m *testing.M) {
	_ = os.Setenv("FRONTDESK_MASTER_KEY", base64.StdEncoding.EncodeToString(testworld.MasterKey[:])) // it only fails for invalid names
	os.Exit(m.Run())
}

// program is a running frontdesk.
type program struct {
	*testworld.World
	t     *testing.T
	ahead atomic.Int64 // offset of the practices' clock; nanoseconds
	count int          // scenarios so far

	logKey   notary.Key // zero until its logs are signed
	errorLog errorLog
	watching
}

// startProgram runs the program on a database until the test ends.
func startProgram(t *testing.T, db *postgrestest.Database, edits ...func(*app.Config)) *program {
	t.Helper()
	clock := commandtest.NewClock(commandtest.Noon)
	p := &program{World: &testworld.World{DB: db, Clock: clock}, t: t}
	p.Serve(t, append([]func(*app.Config){func(c *app.Config) {
		c.Now, c.RealNow = p.now, clock.Now
		c.Log = slog.New(slog.NewJSONHandler(&p.errorLog, &slog.HandlerOptions{Level: slog.LevelError}))
	}}, edits...)...)
	return p
}

// errorLog is the error lines of the operator's log.
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

// now is the time of the practices' clock.
func (p *program) now() time.Time { return p.Clock.Now().Add(time.Duration(p.ahead.Load())) }
