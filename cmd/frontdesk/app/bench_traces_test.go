package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/app"
)

// BenchmarkTraces compares two programs: one traces a share of its calls, the other none. A
// third program, started first, holds the roles that only one can have, such as the
// sequencer. The collector discards the spans, but its CPU counts. Turns are short and many,
// so that a difference of a few hundredths shows on a busy machine.
func BenchmarkTraces(b *testing.B) {
	first, integrator, patient := serving(b)
	untraced := besides(b, first, tracing.Config{})
	for _, share := range []float64{0, 0.1, 1} {
		b.Run(fmt.Sprintf("share=%v", share), func(b *testing.B) {
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
			b.Cleanup(collector.Close)
			to := tracing.Config{URL: collector.URL, Share: share}
			if share == 0 { // the comparison's noise between two equal programs
				to = tracing.Config{}
			}
			traced := besides(b, first, to)
			rate := func(unit string, service *app.App) benchtest.Rate {
				return newCrowd(b, 16, &integrator, submission(service.URL(), patient)).rate(unit, 60*time.Millisecond)
			}
			benchtest.Comparison{
				Ratio: "of-untraced", Floor: rate("untraced/s", untraced), Rate: rate("calls/s", traced), Turns: 400, Cluster: benchtest.ClusterOf(b, first.admin),
			}.Run(b)
		})
	}
}

// besides is one more program on the database of another one.
func besides(b *testing.B, first running, traces tracing.Config) *app.App {
	b.Helper()
	service, err := app.New(b.Context(), app.Config{
		DatabaseURL: first.url, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
		RateLimit: app.NoLimit, DailyBytes: app.NoLimit, Traces: traces,
	})
	must(b, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	var group sync.WaitGroup
	group.Go(func() { _ = service.Run(ctx) })
	b.Cleanup(func() { stop(); group.Wait() })
	return service
}
