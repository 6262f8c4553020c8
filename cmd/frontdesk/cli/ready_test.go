package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
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
		if o := frontdesk(t, "ready", "--private-listen", listen); o.status != 0 || o.out != "ready\n" {
			t.Errorf("%s: exit status %d, %q, %q", listen, o.status, o.out, o.err)
		}
	}
	stopping.Store(true)
	frontdesk(t, "ready", "--private-listen", address).wantFailure(t, 1, "not ready: this process is stopping")
	process.Close()
	frontdesk(t, "ready", "--private-listen", address).wantFailure(t, 1, "nobody answers")
	frontdesk(t, "ready", "--private-listen", "no port:").wantFailure(t, 1, "--private-listen is HOST:PORT")
}

// The file of settings says where serve listens; what is typed wins, as everywhere.
func TestTheFileOfSettingsSaysWhoIsAskedWhetherItIsReady_D108(t *testing.T) {
	t.Parallel()
	process := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready\n") }))
	t.Cleanup(process.Close)
	address := strings.TrimPrefix(process.URL, "http://")
	file := settingsFile(t, "serve:\n  private-listen: "+address+"\n")
	if o := frontdesk(t, "ready", "--config", file); o.status != 0 || o.out != "ready\n" {
		t.Errorf("exit status %d, %q, %q", o.status, o.out, o.err)
	}
	other := settingsFile(t, "serve:\n  private-listen: 127.0.0.1:1\n")
	frontdesk(t, "ready", "--config", other).wantFailure(t, 1, "nobody answers", "127.0.0.1:1")
	if o := frontdesk(t, "ready", "--config", other, "--private-listen", address); o.status != 0 {
		t.Errorf("exit status %d, %q", o.status, o.err)
	}
	frontdesk(t, "ready", "--config", settingsFile(t, "serve:\n  listn: a\n")).wantFailure(t, 2, "listn is no flag of serve")
}
