//go:build prove

package webhooks_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// TestProveThatStaleConnectionsLoseNothing sends to a receiver that closes
// connections after 5 s without use, at the very moments in which it does.
// Nothing is sent twice, so one that is closed under our hands loses its event.
func TestProveThatStaleConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t, func(s *httptest.Server) { s.Config.IdleTimeout = 5 * time.Second })
	for n := range 40 {
		c.application(fmt.Sprintf("%s/%d", r.URL, n), application.RecordOpened)
	}
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
	for n := range 10 {
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		c.wait(settled)
		<-time.After(4800*time.Millisecond + time.Duration(n)*40*time.Millisecond)
	}
	c.wantSummary("delivered 400")
	t.Logf("0 of 400 lost, over %d connections", r.connections())
}
