package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof" // nothing serves the default mux, which it registers on
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/domain/fault"
)

// listen listens on the configured addresses, without answering yet.
func (a *App) listen(ctx context.Context) (err error) {
	front, err := a.front(ctx)
	if err != nil {
		return err
	}
	if a.public, err = listen(ctx, a.config.Listening, a.config.Listen, a.drain.sendingAway(asWritten(front)), a.config.Log); err != nil {
		return err
	}
	a.public.unread = unreadBy(a.config.Log, a.config.Now)
	if a.config.PrivateListen != "" {
		a.private, err = listen(ctx, a.config.Listening, a.config.PrivateListen, a.operations(), a.config.Log)
	}
	return err
}

// operations returns the handler of the private listener, for operators.
func (a *App) operations() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{Registry: a.registry}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", a.ready)
	if a.config.Profiles {
		serveProfiles(mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

// ready answers whether calls should be sent here.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	if a.drain.begun.Load() { // it still serves, but not for long
		http.Error(w, "this process is stopping", http.StatusServiceUnavailable)
		return
	}
	switch ready, failed := a.readiness.check(r.Context(), a.serves); {
	case !ready:
		http.Error(w, failed.Error(), http.StatusServiceUnavailable)
		return
	case failed != nil: // and the database may be slow to answer
		_, _ = fmt.Fprintf(w, "ready, though a check has failed: %v\n", failed)
		return
	}
	_, _ = fmt.Fprintln(w, "ready")
	if warning := a.withoutLedger(r.Context()); warning != "" {
		_, _ = fmt.Fprintln(w, "warning: "+warning)
	}
}

// server is a listener and its handler. A nil server does nothing.
type server struct {
	listener    net.Listener
	http        *http.Server
	cutCalls    context.CancelCauseFunc // of all of them
	active      sync.Map                // the connections on which there is one
	connections sync.WaitGroup          // until the call on each has returned

	// Unread answers a request that net/http could not read; nil lets it answer itself.
	unread func(status int, why string) []byte
}

func listen(ctx context.Context, open Listening, address string, handler http.Handler, log *slog.Logger) (*server, error) {
	listener, err := opened(ctx, open, address)
	if err != nil {
		return nil, err
	}
	calls, cutCalls := context.WithCancelCause(context.WithoutCancel(ctx))
	s := &server{cutCalls: cutCalls}
	s.listener = framingListener{listener, s}
	s.http = &http.Server{
		Handler:           closing(handler),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    httpapi.MaxHeaderBytes,
		// Its own answer to "OPTIONS *" would pass by the handler.
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return calls },
		ConnContext:                  withConn,
		ConnState:                    s.count,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

func opened(ctx context.Context, open Listening, address string) (net.Listener, error) {
	listener, err := open(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (is the port taken? choose another): %w", address, err)
	}
	return listener, nil
}

// count counts the connections. One that is closed counts until its call has returned.
func (s *server) count(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.active.Delete(conn)
		s.connections.Done()
	case http.StateIdle:
		s.active.Delete(conn)
		if framed, ok := conn.(*framedConn); ok {
			framed.answering.Store(false)
		}
	case http.StateActive:
		s.active.Store(conn, true)
	}
}

func (s *server) url() string {
	if s == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String()
}

func (s *server) serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.listener.Addr(), err)
	}
	return nil
}

// Serve answers on an address until ctx ends, and is no app. It logs where.
func Serve(ctx context.Context, address string, handler http.Handler, log *slog.Logger) error {
	s, err := listen(ctx, (&net.ListenConfig{}).Listen, address, asWritten(handler), log)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "serving", slog.String("url", s.url()))
	return serve(ctx, &drain{limit: shutdownLimit}, s)
}

// serve answers calls until ctx ends or a listener fails. Those that were accepted have
// some time to be finished, on the listener before the next one.
func serve(ctx context.Context, d *drain, listeners ...*server) error {
	failed := make(chan error, len(listeners))
	var serving sync.WaitGroup
	for _, s := range listeners {
		if s != nil {
			serving.Go(func() { failed <- s.serve() })
		}
	}
	var err error
	select {
	case <-ctx.Done():
		err = d.run(failed)
	case err = <-failed:
		d.begin()
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.patience())
	defer cancel()
	for _, s := range listeners {
		err = errors.Join(err, s.shutdown(ending))
	}
	serving.Wait()
	return err
}

// shutdownLimit is how long accepted calls may take to be finished.
const shutdownLimit = 20 * time.Second

// errStopping is the answer to calls that are cut off.
var errStopping = fault.New(fault.Unavailable, "unavailable", "The service is stopping. Try again shortly.")

// cutOff ends all calls, including those that wait for the rest of a body.
func (s *server) cutOff() {
	s.cutCalls(errStopping)
	s.active.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).SetReadDeadline(clock.Deadline(0)) // a closed connection needs no deadline
		return true
	})
}

// lastWords is the time in which calls that are cut off are answered.
const lastWords = 200 * time.Millisecond

// shutdown stops accepting connections and finishes the calls that were accepted. When ctx
// ends it cuts off the others, which are answered 503 if they do not wait for their callers,
// and waits for their cleanup. That takes no longer than the cleanup's own limit, because
// everything else that they wait for has ended.
func (s *server) shutdown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err == nil {
		return nil
	}
	s.cutOff()
	answering, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if s.http.Shutdown(answering) == nil { // calls that were cut off have got their answer
		return nil
	}
	s.close()
	s.connections.Wait()
	return fmt.Errorf("finish calls on %s: %w", s.listener.Addr(), err)
}

// close cuts off all calls.
func (s *server) close() {
	if s != nil {
		s.cutOff()
		_ = s.http.Close()
		_ = s.listener.Close()
	}
}

// serveProfiles serves Go's profiles of the process: where time and memory go, and the stack
// of each goroutine. It shows no value that the program holds. It also hides the command
// line, which may hold a secret.
func serveProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
}
