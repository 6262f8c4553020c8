package service_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/feed"
)

// The log is relayed by the role of auditors, from epoch to epoch.
func TestTheLogIsRelayedAtTheCommandLine_D101(t *testing.T) {
	t.Parallel()
	db, s := postgrestest.New(t), brokertest.New(t)
	js := s.JetStream()
	clitest.Frontdesk(t, "practice", "register", "--tenant=elm", "--name=Elm", "--database-url", db.URL).WantSuccess(t)
	at := strings.Replace(db.URL, postgres.AppRole, postgres.AuditRole, 1)
	args := []string{"relay", "--database-url", at, "--nats", s.URL(), "--nats-replicas=1", "--metrics-listen=127.0.0.1:0"}
	relay := run(t, args...)
	reaches := func(epoch int, idx uint64) {
		t.Helper()
		looks := time.NewTicker(20 * time.Millisecond)
		defer looks.Stop()
		for range 1500 {
			if stream, err := js.Stream(t.Context(), feed.StreamName(epoch)); err == nil && stream.CachedInfo().State.LastSeq == idx {
				return
			}
			<-looks.C
		}
		t.Fatalf("epoch %d does not come to idx %d", epoch, idx)
	}
	reaches(1, 1)
	for _, metric := range []string{"frontdesk_relay_stopped 0", "frontdesk_relay_lag_events 0"} {
		if response := get(t, relay.url+"/metrics"); !strings.Contains(response, metric) {
			t.Errorf("the metrics do not say %q:\n%s", metric, response)
		}
	}
	clitest.Frontdesk(t, "audit", "begin-epoch", "--database-url", db.AdminURL, "--reason=The volume was put back.", "--epoch=4").WantSuccess(t)
	reaches(4, 2)
	relay.end()
	clitest.Frontdesk(t, append(args, "--nats=amqp://broker")...).WantFailure(t, 1, "nats://broker-1:4222")
	clitest.Frontdesk(t, append(args, "--nats-credentials=none")...).WantFailure(t, 1, "read the credentials for the broker")
	clitest.Frontdesk(t, append(args, "--nats-ca=none")...).WantFailure(t, 1, "the authority of its certificates")
}
