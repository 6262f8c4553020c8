package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

// service is a running program, and an application that may submit.
type service struct {
	*app.App
	integrator bearertest.Application
	patient    string
	db         *pgxpool.Pool
}

func start(t *testing.T, url string, change func(*app.Config)) *service {
	t.Helper()
	s, _ := startUntil(t.Context(), t, url, change)
	return s
}

// startUntil starts a program that stops when ctx ends. The result of Run is in ended.
func startUntil(ctx context.Context, t *testing.T, url string, change func(*app.Config)) (s *service, ended <-chan error) {
	t.Helper()
	config := app.Config{
		DatabaseURL: url, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: "elm-street",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	}
	change(&config)
	program, err := app.New(t.Context(), config)
	must(t, err)
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	result := make(chan error, 1)
	running.Go(func() { result <- program.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	pool, err := postgres.NewPool(t.Context(), url, 0)
	must(t, err)
	t.Cleanup(pool.Close)
	s = &service{App: program, db: pool}
	s.integrator, s.patient = onboard(t, program)
	return s, result
}

// answer is the answer to a call.
type answer struct {
	status  int
	headers http.Header
	body    string
}

// call sends a body as it comes.
func (s *service) call(ctx context.Context, body io.Reader, length int, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/transactional-api/create-patient-request", body)
	if err != nil {
		return answer{}, err
	}
	r.ContentLength = int64(length)
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(s.Desk.Now()))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, err
}

func (s *service) mustCall(t *testing.T, body string, headers ...string) answer {
	t.Helper()
	a, err := s.call(t.Context(), strings.NewReader(body), len(body), headers...)
	must(t, err)
	return a
}

func (s *service) count(t *testing.T, sql string) (n int) {
	t.Helper()
	must(t, s.db.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// file is bytes that do not compress.
func file(seed byte, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(content)
	return content
}

func TestFiftyEqualCallsAtOnce_D22(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.New(t).URL, func(*app.Config) {})
	body := withFiles(s.patient, [][]byte{file(1, 300_000), file(2, 10)})
	var answers [50]answer
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			var err error
			if answers[i], err = s.call(t.Context(), strings.NewReader(body), len(body), "Idempotency-Key", "once"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, a := range answers {
		if a.status != http.StatusOK || a.body != answers[0].body {
			t.Fatalf("answered %d %s and %s", a.status, a.body, answers[0].body)
		}
	}
	if n := s.count(t, `SELECT count(*) FROM events WHERE name = 'patient-request.submitted.v1'`); n != 1 {
		t.Errorf("%d requests were made", n)
	}
	clocktest.Eventually(t, func() bool {
		return s.count(t, `SELECT count(*) FROM uploads`) == 2 && s.count(t, `SELECT count(*) FROM upload_chunks`) == 3
	}, "the files of the other calls are forgotten")
	if a := s.mustCall(t, body+" ", "Idempotency-Key", "once"); a.status != http.StatusConflict || !strings.Contains(a.body, "idempotency-key-reused") {
		t.Errorf("another body is answered %d %s", a.status, a.body)
	}
}

func TestAnUploadThatIsCutLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, postgrestest.New(t).URL, func(c *app.Config) { c.CallsInFlight = 1 })
	body := withFiles(s.patient, [][]byte{file(1, 2<<20)})

	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	must(t, err)
	_, err = fmt.Fprintf(conn, "POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n%s",
		len(body), s.integrator.Token(s.Desk.Now()), body[:len(body)/2])
	must(t, err)
	clocktest.Eventually(t, func() bool { return s.count(t, `SELECT count(*) FROM upload_chunks`) > 2 }, "half of the file is stored")
	must(t, conn.Close())

	clocktest.Eventually(t, func() bool { return s.count(t, `SELECT count(*) FROM uploads`) == 0 }, "it is forgotten again")
	clocktest.Eventually(t, func() bool { return s.mustCall(t, requestBody(s.patient)).status == http.StatusOK }, "the slot is free")
}

// Half a file of which the database has died cannot be named by any event.
func TestADatabaseThatDiesDuringAnUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	cluster := postgrestest.Cluster(t)
	s := start(t, cluster.URL("frontdesk", "frontdesk_app"), func(c *app.Config) { c.CallsInFlight = 1 })
	body := withFiles(s.patient, [][]byte{file(1, 10<<20)})

	half, rest := body[:len(body)/2], body[len(body)/2:]
	in, out := io.Pipe()
	answered := make(chan answer, 1)
	go func() {
		a, err := s.call(t.Context(), in, len(body))
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	_, err := io.WriteString(out, half)
	must(t, err)
	clocktest.Eventually(t, func() bool { return s.count(t, `SELECT count(*) FROM upload_chunks`) > 10 }, "half of the file is stored")
	die(t, cluster.URL("frontdesk", embedded.Superuser))
	<-cluster.Done()
	_, _ = io.WriteString(out, rest) // the answer may come before its end
	_ = out.Close()

	wantUnavailable(t, <-answered)
	wantUnavailable(t, s.mustCall(t, requestBody(s.patient)))

	must(t, cluster.Restart(t.Context()))
	s.db.Reset()
	clocktest.Eventually(t, func() bool { return s.mustCall(t, requestBody(s.patient)).status == http.StatusOK }, "calls are answered again")
	if n := s.count(t, `SELECT count(*) FROM attachments`); n != 0 {
		t.Errorf("%d files are named", n)
	}
	later := func() time.Time { return s.Desk.Now().Add(25 * time.Hour) }
	sweeper := uploads.Sweeper{DB: postgres.On(s.db), Uploads: s.Uploads, Now: later, RealNow: later, Log: slog.New(slog.DiscardHandler)}
	clocktest.Eventually(t, func() bool { return sweeper.Sweep(t.Context()) == nil }, "the sweeper reaches the database")
	if n := s.count(t, `SELECT count(*) FROM upload_chunks`); n != 0 {
		t.Errorf("%d parts are left by the sweeper", n)
	}
	clocktest.Eventually(t, func() bool { return s.mustCall(t, body).status == http.StatusOK }, "the upload is taken")
}

// die kills Postgres as a power cut would.
func die(t *testing.T, url string) {
	t.Helper()
	admin, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer admin.Close(t.Context())
	var directory string
	must(t, admin.QueryRow(t.Context(), `SELECT setting FROM pg_settings WHERE name = 'data_directory'`).Scan(&directory))
	content, err := os.ReadFile(directory + "/postmaster.pid")
	must(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(content), "\n", 2)[0])
	must(t, err)
	must(t, syscall.Kill(pid, syscall.SIGQUIT))
}

func wantUnavailable(t *testing.T, a answer) {
	t.Helper()
	var body struct{ Errors []struct{ Code string } }
	must(t, json.Unmarshal([]byte(a.body), &body))
	if a.status != http.StatusServiceUnavailable || len(body.Errors) != 1 || body.Errors[0].Code != "unavailable" || a.headers.Get("Retry-After") == "" {
		t.Errorf("answered %d %v %s", a.status, a.headers, a.body)
	}
}
