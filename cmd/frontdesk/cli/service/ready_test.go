package service_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestAContainerIsAskedWhetherItIsReady_D106(t *testing.T) {
	t.Parallel()
	var stopping atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if stopping.Load() {
			http.Error(w, "this process is stopping", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	})
	process := httptest.NewServer(mux)
	address := strings.TrimPrefix(process.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, listen := range []string{address, ":" + port, "0.0.0.0:" + port} {
		if o := clitest.Frontdesk(t, "ready", "--private-listen", listen); o.Status != 0 || o.Out != "ready\n" {
			t.Errorf("%s: exit status %d, %q, %q", listen, o.Status, o.Out, o.Err)
		}
	}
	stopping.Store(true)
	clitest.Frontdesk(t, "ready", "--private-listen", address).WantFailure(t, 1, "not ready: this process is stopping")
	process.Close()
	clitest.Frontdesk(t, "ready", "--private-listen", address).WantFailure(t, 1, "no answer")
	clitest.Frontdesk(t, "ready", "--private-listen", "no port:").WantFailure(t, 1, "--private-listen is HOST:PORT")
}

// The config file gives the address of serve; the command line wins, as everywhere.
func TestReadyTakesTheAddressFromTheFile_D108(t *testing.T) {
	t.Parallel()
	process := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready\n") }))
	t.Cleanup(process.Close)
	address := strings.TrimPrefix(process.URL, "http://")
	file := clitest.SettingsFile(t, "serve:\n  private-listen: "+address+"\n")
	if o := clitest.Frontdesk(t, "ready", "--config", file); o.Status != 0 || o.Out != "ready\n" {
		t.Errorf("exit status %d, %q, %q", o.Status, o.Out, o.Err)
	}
	other := clitest.SettingsFile(t, "serve:\n  private-listen: 127.0.0.1:1\n")
	clitest.Frontdesk(t, "ready", "--config", other).WantFailure(t, 1, "no answer", "127.0.0.1:1")
	if o := clitest.Frontdesk(t, "ready", "--config", other, "--private-listen", address); o.Status != 0 {
		t.Errorf("exit status %d, %q", o.Status, o.Err)
	}
	clitest.Frontdesk(t, "ready", "--config", clitest.SettingsFile(t, "serve:\n  listn: a\n")).WantFailure(t, 2, "listn is no flag of serve")
}
