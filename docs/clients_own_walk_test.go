//go:build walk

package docs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks/receiver"
)

// An integrator has an application of its own at a sandbox, with its key set and a receiver of
// record.opened.
type integrator struct {
	s        *sandbox
	info     sandboxInfo
	id       string
	dir      string // of its keys, <kid>.pem, and its key set
	receiver *driver
}

// anIntegrator registers an application, has it enabled, and receives webhooks with a client.
func anIntegrator(t *testing.T, s *sandbox, c clientPackage) integrator {
	t.Helper()
	i := integrator{s: s, dir: t.TempDir()}
	s.read(t, &i.info)
	i.makeKey(t, "one")
	published := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(i.dir, "jwks.json"))
	}))
	t.Cleanup(published.Close)
	registered := i.operate(t, "application", "register", "--json", "--name", "Client", "--jwks-url", published.URL+"/jwks.json", "--allow-network", "127.0.0.0/8")
	var application struct{ ApplicationID string }
	if err := json.Unmarshal([]byte(registered), &application); err != nil {
		t.Fatal(err)
	}
	i.id = application.ApplicationID
	i.operate(t, "application", "enable", "--tenant", i.info.TenantID, "--application", i.id)
	i.receiver = c.drive(t, "listen", "FRONTDESK_JWKS="+i.info.APIURL+"/transactional-api/jwks", "FRONTDESK_TENANT="+i.info.TenantID)
	var listening struct{ URL string }
	i.receiver.read(&listening)
	i.operate(t, "webhook", "set", "--application", i.id, "--event", "record.opened", "--url", s.secured(t, listening.URL), "--allow-network", "127.0.0.0/8")
	return i
}

// makeKey adds a key to the key set that is published.
func (i integrator) makeKey(t *testing.T, kid string) {
	t.Helper()
	i.s.operate(t, "token", "keygen", "--kid", kid, "--key", i.key(kid), "--jwks", filepath.Join(i.dir, "jwks.json"))
}

func (i integrator) key(kid string) string { return filepath.Join(i.dir, kid+".pem") }

func (i integrator) operate(t *testing.T, arguments ...string) string {
	t.Helper()
	return i.s.operate(t, append(arguments, "--database-url", i.info.DatabaseURL)...)
}

// secured puts https, which webhooks need, before a receiver.
func (s *sandbox) secured(t *testing.T, plain string) (address string) {
	t.Helper()
	to, err := url.Parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := receiver.OpenAuthority(s.dir, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server, err := receiver.Listen(t.Context(), "127.0.0.1:0", authority, proxy, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server.URL()
}

// received is a line of a driver that listens.
type received struct {
	JTI, TenantID, Event string
	Data                 fields
}

// asksAboutItself has the application ask all that there is about itself, be sent a ping, and
// rotate its key.
func asksAboutItself(t *testing.T, s *sandbox, c clientPackage, call func(*driver, string, fields) outcome) {
	t.Helper()
	i := anIntegrator(t, s, c)
	d := c.drive(t, "call", "FRONTDESK_API="+i.info.APIURL, "FRONTDESK_APPLICATION="+i.id, "FRONTDESK_KID=one", "FRONTDESK_KEY="+i.key("one"))
	if got := call(d, "application", nil); got.OK["enabled"] != true || got.OK["applicationId"] != i.id || len(got.OK["webhooks"].([]any)) != 1 {
		t.Errorf("application: %s", got.Text)
	}
	i.isPinged(t, d, call)
	d.must(order{Do: "ping"})
	refused := d.do(order{Do: "ping", As: "nobody"})
	var calls []struct {
		RequestID, Endpoint, Code string
		Status                    int
	}
	eventually(t, func() bool {
		_ = json.Unmarshal(call(d, "application/calls", fields{"status": "refused", "limit": 1}).Text, &calls)
		return len(calls) > 0
	})
	if got := calls[0]; got.RequestID != refused.Error.RequestID || got.Endpoint != "ping" || got.Code != "unauthorized" || got.Status != 403 {
		t.Errorf("calls: %+v", calls)
	}
	i.asksForCheckpoint(t, d, call)
	i.rotates(t, d, call)
}

// asksForCheckpoint fetches a checkpoint, and a later one with its proof.
func (i integrator) asksForCheckpoint(t *testing.T, d *driver, call func(*driver, string, fields) outcome) {
	t.Helper()
	kept := call(d, "application/checkpoint", nil)
	if _, has := kept.OK["consistency"].([]any); has || !strings.Contains(fmt.Sprint(kept.OK["checkpoint"]), "\n— ") {
		t.Errorf("checkpoint: %s", kept.Text)
	}
	grown := call(d, "application/checkpoint", fields{"from": kept.OK["size"]})
	if _, has := grown.OK["consistency"].([]any); !has {
		t.Errorf("checkpoint with from: %s", grown.Text)
	}
}

// isPinged is sent a test webhook, and finds its delivery.
func (i integrator) isPinged(t *testing.T, d *driver, call func(*driver, string, fields) outcome) {
	t.Helper()
	tested := call(d, "application/webhooks/test", fields{"event": "record.opened"})
	var ping received
	for ping.Event != "ping" { // other tests open records
		i.receiver.read(&ping)
	}
	if ping.JTI != tested.OK["jti"] || ping.Event != "ping" || ping.TenantID != i.info.TenantID {
		t.Errorf("the receiver has %+v of %s", ping, tested.Text)
	}
	var deliveries []struct {
		JTI, Outcome string
		Status       int
	}
	eventually(t, func() bool {
		_ = json.Unmarshal(call(d, "application/deliveries", fields{"jti": ping.JTI}).Text, &deliveries)
		return len(deliveries) == 1 && deliveries[0].Outcome == "delivered"
	})
	if got := deliveries[0]; got.JTI != ping.JTI || got.Status != http.StatusNoContent {
		t.Errorf("deliveries: %+v", deliveries)
	}
}

// rotates publishes another key, has the service read it, and signs with it.
func (i integrator) rotates(t *testing.T, d *driver, call func(*driver, string, fields) outcome) {
	t.Helper()
	i.makeKey(t, "two")
	d.must(order{Do: "rotate", Input: fields{"add": "two", "file": i.key("two")}})
	if got := d.must(order{Do: "reread-key-set"}); len(got.OK["keys"].([]any)) != 2 {
		t.Errorf("key-set: %s", got.Text)
	}
	published := d.must(order{Do: "rotate", Input: fields{"use": "two", "remove": "one"}})
	if keys := published.OK["keys"].([]any); len(keys) != 1 || keys[0].(fields)["kid"] != "two" {
		t.Errorf("it would publish %s", published.Text)
	}
	d.must(order{Do: "ping"})
	if got := call(d, "application/key-set", nil); len(got.OK["keys"].([]any)) != 2 {
		t.Errorf("key-set: %s", got.Text)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for limit := time.After(runLimit); !holds(); {
		select {
		case <-limit:
			t.Fatal("it never holds")
		case <-time.After(100 * time.Millisecond):
		}
	}
}
