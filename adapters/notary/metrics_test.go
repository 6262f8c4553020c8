package notary_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

// Eight events and one call are signed at 09:30; at 09:31 one of the events is gone.
const measured = `
# HELP frontdesk_signer_alarms Alarms of the last round: logs that are no longer signed, and witnesses that know another history.
# TYPE frontdesk_signer_alarms gauge
frontdesk_signer_alarms 1
# HELP frontdesk_signer_completed_timestamp_seconds When everything was signed, witnessed and published last.
# TYPE frontdesk_signer_completed_timestamp_seconds gauge
frontdesk_signer_completed_timestamp_seconds 1.7953398e+09
# HELP frontdesk_signer_idx Idx up to which the signer has read a log.
# TYPE frontdesk_signer_idx gauge
frontdesk_signer_idx{log="access"} 1
frontdesk_signer_idx{log="events"} 8
# HELP frontdesk_signer_unacknowledged_epoch The last epoch that has lost entries which were signed, until an operator gives --accept-epoch; 0 if there is none.
# TYPE frontdesk_signer_unacknowledged_epoch gauge
frontdesk_signer_unacknowledged_epoch 0
# HELP frontdesk_signer_verified_timestamp_seconds When the last reading of all logs began that has come to its end.
# TYPE frontdesk_signer_verified_timestamp_seconds gauge
frontdesk_signer_verified_timestamp_seconds 1.7953398e+09
`

func TestSignerMetrics(t *testing.T) {
	t.Parallel()
	w, registry := newWorld(t), prometheus.NewRegistry()
	w.signer.Metrics = notary.NewMetrics(registry)
	w.logs[proof.Access].add("call", "north")
	w.quiet()
	w.now = w.now.Add(time.Minute)
	w.events().leaves = w.events().leaves[:7]
	w.publisher.fails = errors.New("read-only") // a problem without an alarm
	w.alarmed("ends at 7")
	if err := testutil.GatherAndCompare(registry, strings.NewReader(measured)); err != nil {
		t.Error(err)
	}
}
