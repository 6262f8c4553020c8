package webhooks_test

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/outbound"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
)

// post is a webhook as a receiver got it.
type post struct {
	method string
	path   string
	header http.Header
	token  string
}

// receiver is an https server that records its requests.
type receiver struct {
	*httptest.Server
	got chan post

	mu     sync.Mutex
	answer http.HandlerFunc
	conns  int
}

// newReceiver answers 204 by default. Edits are applied before it starts.
func newReceiver(t testing.TB, edits ...func(*httptest.Server)) *receiver {
	r := unstarted(t, edits...)
	r.StartTLS()
	return r
}

// newPlainReceiver is one without TLS, for [plainClient]. A busy machine may need
// longer for a handshake than a connection may take, and certainly for hundreds at
// once.
func newPlainReceiver(t testing.TB) *receiver {
	r := unstarted(t)
	r.Start()
	r.URL = strings.Replace(r.URL, "http:", "https:", 1) // no other can be registered
	return r
}

// plainClient is a sender's client without TLS.
func plainClient() *http.Client {
	client := webhooks.NewClient(loopback, nil)
	transport := client.Transport.(*http.Transport)
	transport.DialTLSContext = transport.DialContext
	return client
}

// unstarted is a receiver for the caller to start; it ends with the test.
func unstarted(t testing.TB, edits ...func(*httptest.Server)) *receiver {
	r := &receiver{got: make(chan post, 100_000)}
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.mu.Lock()
			r.conns++
			r.mu.Unlock()
		}
	}
	for _, edit := range edits {
		edit(r.Server)
	}
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.got <- post{request.Method, request.URL.Path, request.Header.Clone(), string(body)}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	answer(w, request)
}

func (r *receiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// hangs stops all answers until the returned function is called, at the latest at the
// end of the test.
func (r *receiver) hangs(t testing.TB) (release func()) {
	released := make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	r.answers(func(_ http.ResponseWriter, request *http.Request) {
		select {
		case <-released:
		case <-request.Context().Done():
		}
	})
	return release
}

// connections is how many were made so far.
func (r *receiver) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conns
}

// all is everything received so far.
func (r *receiver) all() (posts []post) {
	for {
		select {
		case p := <-r.got:
			posts = append(posts, p)
		default:
			return posts
		}
	}
}

// patience bounds every wait of a test; none should take as long.
const patience = 2 * time.Minute

// next is the next thing received.
func (r *receiver) next(t testing.TB) post {
	t.Helper()
	select {
	case p := <-r.got:
		return p
	case <-time.After(patience):
		t.Fatal("nothing was received")
		return post{}
	}
}

var loopback = outbound.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}

// trusted trusts the receivers of these tests.
func trusted(servers ...*receiver) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AddCert(s.Certificate())
	}
	return pool
}

// sender is one of the clinic's senders; edits change it.
func (c *clinic) sender(client *http.Client, edits ...func(*webhooks.Sender)) *webhooks.Sender {
	s := &webhooks.Sender{
		DB: c.pool, Codec: c.codec, Opens: c.keys, Signer: &signing.Signer{Vault: c.vault()}, Client: client, CheckURL: loopback.CheckURL,
		Queued: &background.Broadcast{}, Now: c.clock.Now, RealNow: c.clock.Now, Timeout: webhooks.DefaultTimeout, Log: slog.New(slog.DiscardHandler),
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

// start runs a sender until the test ends or stop is called; stop waits for it.
func start(t testing.TB, s *webhooks.Sender) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// sendTo fans out the new events and sends them to trusted receivers, until none is
// queued or in flight.
func (c *clinic) sendTo(servers ...*receiver) {
	c.t.Helper()
	c.fanOut()
	stop := start(c.t, c.sender(webhooks.NewClient(loopback, trusted(servers...))))
	c.wait(settled)
	stop()
}

// Conditions to wait for.
const (
	settled   = `SELECT NOT EXISTS (SELECT FROM deliveries WHERE status IN ('pending', 'sending'))`
	nothingIn = `SELECT NOT EXISTS (SELECT FROM deliveries WHERE status = 'sending')`
)

// wait looks until a condition holds.
func (c *clinic) wait(condition string, args ...any) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for holds := false; !holds; {
		if err := c.pool.QueryRow(ctx, condition, args...).Scan(&holds); err != nil {
			c.t.Fatalf("wait for %s: %v; deliveries: %s", condition, err, c.summary())
		}
		if !holds {
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
}

// summary counts deliveries by status: "delivered 3, failed http_5xx 1".
func (c *clinic) summary() string {
	c.t.Helper()
	rows, err := c.pool.Query(context.WithoutCancel(c.t.Context()),
		`SELECT concat_ws(' ', status, reason, count(*)) FROM deliveries GROUP BY status, reason ORDER BY status, reason`)
	must(c.t, err)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		must(c.t, rows.Scan(&line))
		lines = append(lines, line)
	}
	must(c.t, rows.Err())
	return strings.Join(lines, ", ")
}

func (c *clinic) wantSummary(want string) {
	c.t.Helper()
	if got := c.summary(); got != want {
		c.t.Errorf("deliveries: %s; want %s", got, want)
	}
}

// answersStatus answers with a status from now on.
func (r *receiver) answersStatus(status int) {
	r.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}
