//go:build walk

package main_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

func brokerWalk() []stage {
	return []stage{
		{below: "The broker", before: (*operator).hasABroker, after: (*operator).relays},
		{below: "Who may do what there", before: (*operator).hasFollowers, after: (*operator).hasAFollower},
	}
}

// hasABroker has one server with TLS. The proofs of the broker show the rights of each user,
// and the agreement of several servers.
func (o *operator) hasABroker() {
	o.t.Helper()
	o.starts()
	authority := httptest.NewTLSServer(nil)
	o.t.Cleanup(authority.Close)
	broker, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, Username: "relay", Password: "secret", TLSConfig: authority.TLS,
		JetStream: true, StoreDir: filepath.Join(o.dir, "nats"), MaxPayload: 8 << 20, NoLog: true, NoSigs: true,
	})
	o.must(err)
	broker.Start()
	o.t.Cleanup(func() {
		broker.Shutdown()
		broker.WaitForShutdown()
	})
	o.types("export FRONTDESK_NATS_REPLICAS=1")
	o.insteadOf("tls://relay:…@nats-1:4222,tls://relay:…@nats-2:4222", "tls://relay:secret@"+broker.Addr().String())
	certificate, _, _ := strings.Cut(pemOf(o.t, authority), "-----BEGIN PRIVATE KEY")
	o.must(os.MkdirAll(o.at("etc/nats/tls"), 0o755)) // as it is on a server
	writeFile(o.t, o.at("etc/nats/tls/ca.pem"), certificate)
}

// relays waits until the broker has the log.
func (o *operator) relays() {
	o.t.Helper()
	o.types(o.meant(`until curl --silent --fail http://127.0.0.1:9092/metrics | grep -E '^frontdesk_relay_idx [1-9]'; do sleep 0.1; done`))
}

// hasFollowers has the file that the servers include, and notes how often they read it again.
func (o *operator) hasFollowers() {
	o.t.Helper()
	o.program("nats-server", `echo "$@" >> ~/reloads`)
	o.types(o.meant("cp /usr/local/share/doc/frontdesk/docs/operate/nats-followers.conf /etc/nats/"))
}

func (o *operator) hasAFollower() {
	o.t.Helper()
	if reloads := o.read("home/reloads"); reloads != "--signal reload\n--signal reload\n" {
		o.t.Errorf("the server received %q", reloads)
	}
	if file := o.at("etc/nats/nats-followers.conf"); !strings.Contains(o.read("etc/nats/nats-followers.conf"), "\nelm-street {") {
		o.t.Errorf("%s has no such account", file)
	}
	o.types("test -s elm-street.password")
}
