package brokertest

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/clock/clocktest"
)

// Server is one server, which keeps its address and its data across stop and start.
type Server struct {
	tb      testing.TB
	options server.Options
	running *server.Server
}

// New starts a server on its own.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{tb: tb, options: options(tb.TempDir(), ports(tb, 1)[0])}
	s.Start()
	tb.Cleanup(s.Stop)
	return s
}

func options(dir string, port int) server.Options {
	return server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, MaxPayload: broker.MaxPayload, NoLog: true, NoSigs: true,
	}
}

// Cluster starts servers that elect leaders among each other. They flush to disk before
// they acknowledge.
func Cluster(tb testing.TB, size int) (all []*Server) {
	tb.Helper()
	free := ports(tb, 2*size)
	var routes []*url.URL
	for _, port := range free[size:] {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	for n := range size {
		o := options(tb.TempDir(), free[n])
		o.ServerName, o.Routes, o.SyncAlways = fmt.Sprint("broker-", n), routes, true
		o.Cluster = server.ClusterOpts{Name: "brokers", Host: "127.0.0.1", Port: free[size+n]}
		s := &Server{tb: tb, options: o}
		s.start()
		tb.Cleanup(s.Stop)
		all = append(all, s)
	}
	for _, s := range all {
		s.wait(s.running.JetStreamIsCurrent)
	}
	all[0].wait(func() bool { // the leader sees all of them, so that streams can be placed
		return slices.ContainsFunc(all, func(s *Server) bool { return len(s.running.JetStreamClusterPeers()) == size })
	})
	return all
}

// ports returns free ports. All are held until each is found, so that none is found twice.
func ports(tb testing.TB, count int) []int {
	tb.Helper()
	if count == 0 {
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return append(ports(tb, count-1), l.Addr().(*net.TCPAddr).Port)
}

// Start starts a server that was stopped, and waits until it serves.
func (s *Server) Start() {
	s.tb.Helper()
	s.start()
	s.wait(func() bool { return s.running.ReadyForConnections(time.Second) })
}

func (s *Server) start() {
	s.tb.Helper()
	options := s.options
	running, err := server.NewServer(&options)
	if err != nil {
		s.tb.Fatal(err)
	}
	s.running = running
	running.Start()
}

func (s *Server) wait(ready func() bool) {
	s.tb.Helper()
	clocktest.Eventually(s.tb, ready, "the broker to come up")
}

// Stop stops the server at once. It may be called twice.
func (s *Server) Stop() {
	s.running.Shutdown()
	s.running.WaitForShutdown()
}

// Forget deletes all data of a stopped server.
func (s *Server) Forget() { s.options.StoreDir = s.tb.TempDir() }

// URL returns the server's address.
func (s *Server) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.options.Port) }

// Dir returns the server's data directory.
func (s *Server) Dir() string { return s.options.StoreDir }

// Change changes the server's options for the next start.
func (s *Server) Change(change func(*server.Options)) { change(&s.options) }

// LeadsStream reports whether the server leads a stream.
func (s *Server) LeadsStream(name string) bool { return s.running.JetStreamIsStreamLeader("$G", name) }

// JetStream connects to the server.
func (s *Server) JetStream() jetstream.JetStream {
	s.tb.Helper()
	conn, err := nats.Connect(s.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		s.tb.Fatal(err)
	}
	return js
}
