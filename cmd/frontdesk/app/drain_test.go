package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
)

// never is longer than a test lasts.
const never = time.Hour

func TestStoppingProcessIsNotReadyAndKeepsServing_D47(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s, ended := startUntil(ctx, t, postgrestest.New(t).URL, func(c *app.Config) {
		c.DrainDelay, c.PrivateListen = never, "127.0.0.1:0"
	})
	if status, last := s.submitted(t); status != http.StatusOK || last {
		t.Errorf("before: answered %d, and the connection ends: %v", status, last)
	}
	stop()
	clocktest.Eventually(t, func() bool { return statusOf(t, s.PrivateURL()+"/readyz") == http.StatusServiceUnavailable }, "it is not ready")
	if status := statusOf(t, s.PrivateURL()+"/healthz"); status != http.StatusOK {
		t.Errorf("health is answered %d", status)
	}
	// The first of these may still use the connection from before.
	for range 3 {
		if status, last := s.submitted(t); status != http.StatusOK || !last {
			t.Errorf("meanwhile: answered %d, and the connection ends: %v", status, last)
		}
	}
	s.Close() // without a listener there is no wait
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}

// submitted returns the status of a call, and whether its connection is closed after it.
func (s *service) submitted(t *testing.T) (status int, last bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/transactional-api/create-patient-request", strings.NewReader(requestBody(s.patient)))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(s.Desk.Now()))
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode, response.Close
}

func statusOf(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode
}

// An upload that does not end in time is cut off. Its stored parts are deleted while the
// database is still open, and no fault is reported.
func TestUploadCutOffByShutdownLeavesNothing_D47(t *testing.T) {
	t.Parallel()
	var lines buffer
	ctx, stop := context.WithCancel(t.Context())
	s, ended := startUntil(ctx, t, postgrestest.New(t).URL, func(c *app.Config) {
		c.ShutdownLimit, c.Log = time.Millisecond, slog.New(slog.NewTextHandler(&lines, nil))
	})
	body := withFiles(s.patient, [][]byte{file(1, 2<<20)})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nAuthorization: Bearer %s\r\n\r\n%s",
		len(body), s.integrator.Token(s.Desk.Now()), body[:len(body)/2])
	must(t, err)
	clocktest.Eventually(t, func() bool { return s.count(t, `SELECT count(*) FROM upload_chunks`) > 2 }, "half of the file is stored")
	stop()
	if err := <-ended; err == nil {
		t.Error("run does not say that a call was not finished")
	}
	if n := s.count(t, `SELECT count(*) FROM uploads`); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
	if n := s.count(t, `SELECT count(*) FROM access_record WHERE status <> 200`); n != 1 {
		t.Errorf("%d calls are recorded as not answered", n)
	}
	said := lines.String()
	if strings.Count(said, "call was cut off") != 1 || strings.Contains(said, "call failed") || strings.Contains(said, "clean-up after a call failed") {
		t.Errorf("the log is:\n%s", said)
	}
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the log.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns the log so far.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
