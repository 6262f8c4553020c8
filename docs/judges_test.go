package docs_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/outbound"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

func applicationID(text string) application.ID { return application.ID{UUID: uuid.MustParse(text)} }

// judgement holds the comparable parts of a verdict on a token.
type judgement struct {
	accepted          bool
	code, description string
	application       string
	mode              application.Mode
	username          string
}

// without returns the judgement without the caller.
func (j judgement) without() judgement {
	return judgement{accepted: j.accepted, code: j.code, description: j.description}
}

// refused returns the judgement of an error.
func refused(t *testing.T, err error) judgement {
	t.Helper()
	refusal, ok := errors.AsType[*bearer.Refusal](err)
	if !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return judgement{code: refusal.Fault.Code, description: refusal.Fault.Detail}
}

// everything is the rights of applications that may do anything.
type everything struct{ jwksURL string }

func (e everything) Rights(_ context.Context, _ access.Claim, now time.Time) (access.Rights, error) {
	return access.Rights{
		Known: true, JWKSURL: e.jwksURL, Enabled: true, Granted: true,
		Staff: staff.ID{UUID: uuid.Max}, AuthorisedUntil: now.Add(time.Hour),
	}, nil
}

// newServer is the part of the server that judges tokens.
func newServer(t *testing.T, jwksURL string, now time.Time) *bearer.Authenticator {
	t.Helper()
	guard := outbound.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	keys := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(guard, nil), CheckURL: guard.CheckURL, Now: func() time.Time { return now },
	})
	t.Cleanup(keys.Close)
	return &bearer.Authenticator{Rights: everything{jwksURL}, Keys: keys, Now: func() time.Time { return now }, RealNow: func() time.Time { return now }}
}

func serverSays(t *testing.T, jwksURL, authorisation string, now time.Time) judgement {
	t.Helper()
	return authenticate(t, newServer(t, jwksURL, now), authorisation)
}

func authenticate(t *testing.T, server *bearer.Authenticator, authorisation string) judgement {
	t.Helper()
	prove, err := server.Recognise(t.Context(), []string{arrived(authorisation)}, "elm-street", access.Endpoint{Name: access.Ping, WithoutGrant: true})
	if err != nil {
		return refused(t, err)
	}
	caller, err := prove(t.Context())
	if err != nil {
		return refused(t, err)
	}
	return judgement{accepted: true, application: caller.Application.String(), mode: caller.Mode, username: caller.Username}
}

// arrived is the value of a header as an HTTP server reads it.
func arrived(value string) string { return strings.Trim(value, " \t") }

// explainSays returns the verdict of the command line, which gets a whole header.
func explainSays(t *testing.T, jwks, authorisation string, now time.Time) judgement {
	t.Helper()
	var out, failure bytes.Buffer
	arguments := []string{"token", "explain", "--json", "--jwks", jwks, "--now", now.Format(time.RFC3339Nano), "-"}
	status := cli.Main(t.Context(), arguments, cli.Streams{In: strings.NewReader("Authorization: " + authorisation), Out: &out, Err: &failure})
	var said struct {
		Accepted                             bool
		Code, Description, Application, Mode string
		Username                             string
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatalf("token explain printed %q, %q: %v", &out, &failure, err)
	}
	if said.Accepted != (status == 0) {
		t.Errorf("token explain ended with %d and said %s", status, &out)
	}
	return judgement{said.Accepted, said.Code, said.Description, said.Application, application.Mode(said.Mode), said.Username}
}

// publisher serves any number of documents, each at a path that no other publisher has:
// clients cache key sets by URL, and a port may be used again.
type publisher struct {
	*httptest.Server
	mu        sync.Mutex
	documents map[string]string // by path
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{documents: map[string]string{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) publish(document string) (url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := "/" + rand.Text()
	p.documents[path] = document
	return p.URL + path
}

// ServeHTTP answers a call.
func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	document, found := p.documents[r.URL.Path]
	if !found {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write([]byte(document))
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
