//go:build prove

package webhooks_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// TestProveStaleConnectionsLoseNothing sends to a receiver that closes idle
// connections after 5 s, at the moments when it does. Nothing is sent twice, so a
// connection that closes during a request loses its event.
func TestProveStaleConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t, func(s *httptest.Server) { s.Config.IdleTimeout = 5 * time.Second })
	for n := range 40 {
		c.application(fmt.Sprintf("%s/%d", r.URL, n), application.RecordOpened)
	}
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
	rounds := provetest.Pick(4, 10)
	for n := range rounds {
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		c.wait(settled)
		<-time.After(4800*time.Millisecond + time.Duration(400*n/rounds)*time.Millisecond)
	}
	c.wantSummary(fmt.Sprintf("delivered %d", 40*rounds))
	provetest.Tried(t, 40*rounds, "webhooks")
	provetest.Tried(t, r.connections(), "connections")
}
