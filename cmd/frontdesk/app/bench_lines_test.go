package app_test

import (
	"context"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

// BenchmarkCallLines compares calls that each write a line to a log file with calls that
// write none, on one database.
func BenchmarkCallLines(b *testing.B) {
	silent, integrator, patient := serving(b)
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	must(b, err)
	b.Cleanup(func() { _ = file.Close() })
	telling, err := app.New(b.Context(), app.Config{
		DatabaseURL: silent.url, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
		RateLimit: app.NoLimit, DailyBytes: app.NoLimit, Log: slog.New(slog.NewJSONHandler(file, nil)), Calls: httpapi.AllLines,
	})
	must(b, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	var group sync.WaitGroup
	group.Go(func() { _ = telling.Run(ctx) })
	b.Cleanup(func() { stop(); group.Wait() })
	rate := func(unit string, service *app.App) benchtest.Rate {
		return newCrowd(b, 16, &integrator, submission(service.URL(), patient)).rate(unit, 0)
	}
	benchtest.Comparison{
		Ratio: "of-silent", Floor: rate("silent/s", silent.App), Rate: rate("calls/s", telling), Cluster: benchtest.ClusterOf(b, silent.admin),
	}.Run(b)
	info, err := file.Stat()
	must(b, err)
	b.ReportMetric(float64(info.Size()), "bytes-logged")
}
