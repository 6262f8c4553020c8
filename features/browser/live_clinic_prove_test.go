//go:build prove

package browser_test

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// clinic is a practice whose service can be restarted, and whose browsers reach it by a
// connection that can be cut.
type clinic struct {
	*app.App
	t       *testing.T
	url     string // of the database
	pool    *pgxpool.Pool
	line    *line
	patient patient.ID
	stop    func()
}

// receptionists are enough for the limit of streams of a session.
const receptionists = 4

func newClinic(t *testing.T) *clinic {
	t.Helper()
	db := postgrestest.New(t)
	c := &clinic{t: t, url: db.URL, pool: db.Pool(t), line: newLine(t)}
	c.start()
	t.Cleanup(func() { c.stop() })
	testworld.Must(t, c.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: elm, Name: "Elm Street Surgery"}))
	for n := range receptionists {
		_, err := c.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
			Tenant: elm, Username: nth("reception", n), Name: nth("Reception", n), Email: "staff@practice.example", Roles: staff.Roles{staff.Receptionist}, Password: password,
		})
		testworld.Must(t, err)
	}
	var err error
	c.patient, err = c.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Ann Archer"})
	testworld.Must(t, err)
	return c
}

func nth(name string, n int) string { return name + string(rune('a'+n)) }

// start starts a service, and connects the line to it.
func (c *clinic) start() {
	c.t.Helper()
	service, err := app.New(c.t.Context(), app.Config{DatabaseURL: c.url, Listen: "127.0.0.1:0", APIDomain: testworld.APIDomain, MasterKeys: sealing.NewRing(sealing.MasterKey{1})})
	testworld.Must(c.t, err)
	c.App = service
	ctx, stop := context.WithCancel(context.WithoutCancel(c.t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := service.Run(ctx); err != nil {
			c.t.Errorf("run: %v", err)
		}
	})
	c.stop = sync.OnceFunc(func() { stop(); running.Wait() })
	address := service.URL()[len("http://"):]
	c.line.to.Store(&address)
}

// page is the address of a page, by the line.
func (c *clinic) page(name string) string {
	return "http://" + c.line.Addr().String() + "/" + elm + "/staff/" + name
}

// session signs a receptionist in, and returns the session's cookie.
func (c *clinic) session(n int) string {
	c.t.Helper()
	var holder signin.Holder
	testworld.Must(c.t, c.pool.QueryRow(c.t.Context(), `SELECT staff, credential FROM staff WHERE tenant = $1 AND username = $2`, elm, nth("reception", n)).
		Scan(&holder.Staff, &holder.Credential))
	sessions := signin.Sessions{DB: postgres.On(c.pool), Idle: time.Hour, Limit: time.Hour, Now: clock.System}
	token, _, err := sessions.Begin(c.t.Context(), elm, holder, "a test")
	testworld.Must(c.t, err)
	return token
}

// submit makes a request of the patient, and returns its id.
func (c *clinic) submit() string {
	id, err := c.Desk.SubmitPatientRequest(context.WithoutCancel(c.t.Context()), commands.SubmitPatientRequest{
		Tenant: elm, Submission: request.Submission{
			Patient: c.patient, Type: request.Admin, Requester: request.ByPatient, Response: []request.Answer{{Question: "query", Answer: "A letter, please."}},
		},
	})
	if err != nil {
		c.t.Errorf("submit: %v", err)
	}
	return id.String()
}

// line forwards connections, and can be cut.
type line struct {
	net.Listener
	to atomic.Pointer[string]

	mu   sync.Mutex
	down bool
	open map[net.Conn]bool
}

func newLine(t *testing.T) *line {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testworld.Must(t, err)
	l := &line{Listener: listener, open: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = l.Close(); l.cut(true) })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go l.pass(conn)
		}
	}()
	return l
}

// cut ends all connections. While the line is down there are no new ones.
func (l *line) cut(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
	for conn := range l.open {
		_ = conn.Close()
	}
}

func (l *line) pass(near net.Conn) {
	defer near.Close()
	far, err := new(net.Dialer).DialContext(context.Background(), "tcp", *l.to.Load())
	if err != nil {
		return
	}
	defer far.Close()
	if !l.keep(near, far) {
		return
	}
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	_, _ = io.Copy(near, far)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, near)
	delete(l.open, far)
}

func (l *line) keep(both ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range both {
		l.open[conn] = true
	}
	return !l.down
}
