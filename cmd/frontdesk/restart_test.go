package main_test

import (
	"net/http"
	"syscall"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/testworld"
)

func TestASecondSignalEndsTheDelay_D47(t *testing.T) {
	t.Parallel()
	r := &replica{t: t, place: freePlace(t), args: append(serveArgs(t, postgrestest.New(t).URL), "--drain-delay", "24h")}
	t.Cleanup(func() { r.stop() })
	r.start(testworld.Binary(t))
	_ = r.process.Process.Signal(syscall.SIGTERM)
	waitFor(t, func() bool {
		response, err := http.Get("http://" + r.place.private + "/readyz")
		if err != nil {
			t.Fatalf("it has stopped at the first signal: %v", err)
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusServiceUnavailable
	})
	if len(r.exited) > 0 || !testworld.Answers("http://"+r.place.private+"/healthz") {
		t.Error("it does not wait for the delay")
	}
	r.stop()
}
