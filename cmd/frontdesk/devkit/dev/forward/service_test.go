package forward_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/commands/commandtest"
)

// service signs webhooks and publishes the key.
type service struct {
	t   *testing.T
	key *rsa.PrivateKey
	url string
}

func newService(t *testing.T) *service {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	s := &service{t: t, key: key}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "RS256", Use: "sig"}}})
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// webhook is one that holds for a minute.
func (s *service) webhook(jti string) string {
	s.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	must(s.t, err)
	payload, err := json.Marshal(map[string]any{
		"iss": "service", "iat": commandtest.Noon.Unix(), "exp": commandtest.Noon.Add(time.Minute).Unix(), "jti": jti, "event": "record.opened", "tenantId": "elm", "data": map[string]any{},
	})
	must(s.t, err)
	signed, err := signer.Sign(payload)
	must(s.t, err)
	token, err := signed.CompactSerialize()
	must(s.t, err)
	return token
}

// inbox believes the service, and is served by http.
func (s *service) inbox(target *forward.Target) (*forward.Inbox, string) {
	s.t.Helper()
	noon := func() time.Time { return commandtest.Noon }
	inbox := forward.NewInbox(target, noon, func(forward.Webhook) {})
	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: s.url, Now: noon})
	must(s.t, err)
	inbox.Believe(verifier)
	server := httptest.NewServer(inbox)
	s.t.Cleanup(func() { server.Close(); inbox.Close() })
	return inbox, server.URL
}

// post sends a webhook as the service does, and returns the answer.
func post(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	response, err := http.Post(url, "application/jwt", bytes.NewBufferString(token))
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(text)
}

// program takes webhooks, and remembers them as they came over the wire.
type program struct {
	t        *testing.T
	listener net.Listener

	mu     sync.Mutex
	answer string // raw
	came   []string
}

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nDone"

func newProgram(t *testing.T, answer string) *program {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &program{t: t, listener: listener, answer: answer}
	var serving sync.WaitGroup
	serving.Go(func() { p.serve(&serving) })
	t.Cleanup(func() { listener.Close(); serving.Wait() })
	return p
}

func (p *program) serve(serving *sync.WaitGroup) {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		serving.Go(func() { p.take(conn) })
	}
}

func (p *program) take(conn net.Conn) {
	defer conn.Close()
	var wire bytes.Buffer
	request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &wire)))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, request.Body)
	p.mu.Lock()
	p.came = append(p.came, wire.String())
	answer := p.answer
	p.mu.Unlock()
	_, _ = io.WriteString(conn, answer)
}

// answers changes its answer.
func (p *program) answers(raw string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = raw
}

// all is every webhook that has arrived.
func (p *program) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.came...)
}

func (p *program) target() *forward.Target {
	p.t.Helper()
	target, err := forward.NewTarget("http://" + p.listener.Addr().String() + "/hook?from=dev")
	must(p.t, err)
	return target
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
