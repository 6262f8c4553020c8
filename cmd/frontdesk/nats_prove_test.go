//go:build prove

package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

// natsCluster is three processes of nats-server, configured by docs/operate/nats.conf.
type natsCluster struct {
	t       *testing.T
	servers [3]*natsServer
	users   natsUsers
	conn    *nats.Conn
	stream  jetstream.JetStream
}

// natsServer is one of them.
type natsServer struct {
	name, address, config string
	on                    []string // the command that pins it to cores; may be empty
	process               *exec.Cmd
	exited                chan struct{} // closed once the process has ended
}

// natsBinary is the server of the module that this one requires.
var natsBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "frontdesk-nats-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "nats-server")
	if said, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nats-server: %w: %s", err, said)
	}
	return path, nil
})

// newNATS starts the servers, which store their files below dir. on comes before each
// command.
func newNATS(t *testing.T, dir string, on ...string) *natsCluster {
	t.Helper()
	c := &natsCluster{t: t, users: newNATSUsers(t, dir)}
	var routes []string
	for n := range c.servers {
		c.servers[n] = &natsServer{name: fmt.Sprintf("nats-%d", n+1), address: freeAddress(t), on: on}
		routes = append(routes, freeAddress(t))
	}
	t.Cleanup(c.remove)
	for n, s := range c.servers {
		c.users.configure(t, s, routes, n)
		c.start(n)
	}
	c.connect()
	return c
}

func (c *natsCluster) start(n int) {
	c.t.Helper()
	program, err := natsBinary()
	if err != nil {
		c.t.Fatal(err)
	}
	s := c.servers[n]
	line := append(append([]string{}, s.on...), program, "-c", s.config, "-l", s.config+".log")
	s.process = exec.CommandContext(context.WithoutCancel(c.t.Context()), line[0], line[1:]...)
	s.process.Env = append(append(os.Environ(), c.users.environment...), "FRONTDESK_NATS_SERVER="+s.name)
	if err := s.process.Start(); err != nil {
		c.t.Fatal(err)
	}
	process, exited := s.process, make(chan struct{})
	s.exited = exited
	go func() { _ = process.Wait(); close(exited) }()
	waitFor(c.t, func() bool {
		select {
		case <-exited:
			said, _ := os.ReadFile(s.config + ".log")
			c.t.Fatalf("%s has ended: %s", s.name, lastLines(string(said)))
		default:
		}
		return listens(s.address)
	})
}

// url is the address of all three for a user.
func (c *natsCluster) url(user string) string {
	var urls []string
	for _, s := range c.servers {
		urls = append(urls, "tls://"+user+":"+c.users.passwords[user]+"@"+s.address)
	}
	return strings.Join(urls, ",")
}

// flags are the program's flags for the servers.
func (c *natsCluster) flags() []string {
	return []string{"--nats", c.url("relay"), "--nats-ca", c.users.certificate}
}

// relays is the command line of a relay.
func (c *natsCluster) relays(database *embedded.Server) []string {
	return append([]string{"relay", "--database-url", database.URL("frontdesk", postgres.AuditRole)}, c.flags()...)
}

// signal is sent to a server, and waited for if it kills.
func (c *natsCluster) signal(n int, which syscall.Signal) {
	_ = c.servers[n].process.Process.Signal(which)
	if which == syscall.SIGKILL {
		<-c.servers[n].exited
	}
}

func (c *natsCluster) kill(n int) { c.signal(n, syscall.SIGKILL) }

// connect waits until the cluster has a leader, which can list its streams.
func (c *natsCluster) connect() {
	c.t.Helper()
	var err error
	c.conn, err = nats.Connect(c.url("administrator"), nats.RootCAs(c.users.certificate), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.stream, err = jetstream.New(c.conn); err != nil {
		c.t.Fatal(err)
	}
	waitFor(c.t, func() bool {
		_, err := c.stream.AccountInfo(c.t.Context())
		return err == nil
	})
}

// leader is the server that leads a stream, once one does.
func (c *natsCluster) leader(stream string) (leads int) {
	c.t.Helper()
	waitFor(c.t, func() bool {
		info, err := c.info(stream)
		if err != nil || info.Cluster == nil {
			return false
		}
		for n, s := range c.servers {
			if s.name == info.Cluster.Leader {
				leads = n
				return true
			}
		}
		return false
	})
	return leads
}

func (c *natsCluster) info(stream string) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
	defer cancel()
	found, err := c.stream.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return found.CachedInfo(), nil
}

// whole waits until all three servers hold all of a stream.
func (c *natsCluster) whole(stream string) {
	c.t.Helper()
	waitFor(c.t, func() bool {
		info, err := c.info(stream)
		if err != nil || info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != len(c.servers)-1 {
			return false
		}
		for _, r := range info.Cluster.Replicas {
			if !r.Current || r.Lag > 0 {
				return false
			}
		}
		return true
	})
}

// lead makes a server the leader of a stream.
func (c *natsCluster) lead(n int, stream string) {
	c.t.Helper()
	ask := []byte(`{"placement":{"preferred":"` + c.servers[n].name + `"}}`)
	waitFor(c.t, func() bool {
		if c.leader(stream) == n {
			return true
		}
		_, _ = c.conn.Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream, ask, 2*time.Second) // it will lead soon, or the request is repeated
		time.Sleep(time.Second)
		return false
	})
}

func (c *natsCluster) remove() {
	if c.conn != nil {
		c.conn.Close()
	}
	for n, s := range c.servers {
		if s == nil || s.process == nil {
			continue
		}
		c.signal(n, syscall.SIGKILL)
		if said, err := os.ReadFile(s.config + ".log"); err == nil && c.t.Failed() {
			c.t.Logf("%s said:\n%s", s.name, tail(string(said), 40))
		}
	}
}

func tail(text string, lines int) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
