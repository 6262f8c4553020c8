package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"frontdesk/domain/application"
)

type publishCmd struct {
	JWKS   string `name:"jwks" default:"jwks.json" type:"existingfile" placeholder:"FILE" help:"The key set."`
	Listen string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Where to serve it; loopback only."`
}

// Run serves the key set until it is told to stop. The file is read anew for
// each call.
func (c *publishCmd) Run(r *run) error {
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || !application.IsLoopback(host) {
		return errors.New("keys are published to this machine alone: give --listen as 127.0.0.1:PORT")
	}
	listener, err := new(net.ListenConfig).Listen(r.ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s (is the port taken? choose another with --listen): %w", c.Listen, err)
	}
	server := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(r.ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(r.Err, "The JWKS URL is http://%s/jwks.json . Ctrl-C stops it.\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("publish keys: %w", err)
	}
	return nil
}

func (c *publishCmd) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		set, err := os.ReadFile(c.JWKS)
		if err != nil {
			http.Error(w, "the key set cannot be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(set) // a client that has gone away cannot be told so
	})
	return mux
}
