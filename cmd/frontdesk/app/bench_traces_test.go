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

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/app"
)

// BenchmarkTraces compares calls of which a share is traced with calls that are not, on one
// database. The collector throws away what it is sent, but its CPU is counted, too.
func BenchmarkTraces(b *testing.B) {
	silent, integrator, patient := serving(b)
	for _, share := range []float64{0.1, 1} {
		b.Run(fmt.Sprintf("share=%v", share), func(b *testing.B) {
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
			b.Cleanup(collector.Close)
			traced, err := app.New(b.Context(), app.Config{
				DatabaseURL: silent.url, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test",
				AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKey: sealing.MasterKey{1},
				RateLimit: app.NoLimit, DailyBytes: app.NoLimit, Traces: tracing.Config{URL: collector.URL, Share: share},
			})
			must(b, err)
			ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
			var group sync.WaitGroup
			group.Go(func() { _ = traced.Run(ctx) })
			b.Cleanup(func() { stop(); group.Wait() })
			rate := func(unit string, service *app.App) benchtest.Rate {
				c := &crowd{clients: 16, integrator: integrator, url: service.URL() + "/transactional-api/create-patient-request", host: "elm-street.frontdesk.test", body: requestBody(patient)}
				return benchtest.Rate{Unit: unit, Prepare: c.mint, Turn: func() benchtest.Work { return c.call(b) }}
			}
			benchtest.Comparison{
				Ratio: "of-untraced", Floor: rate("untraced/s", silent.App), Rate: rate("calls/s", traced), Cluster: benchtest.ClusterOf(b, silent.admin),
			}.Run(b)
		})
	}
}
