package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Server is the configuration for connecting to the broker.
type Server struct {
	URLs        []string // such as nats://broker-1:4222; may contain user and password
	Credentials string   // file of a user's credentials; "" for none
	CA          string   // file of the authority of the servers' certificates; "" for the system's
}

const (
	dialLimit     = 2 * time.Second
	reconnectWait = 250 * time.Millisecond
	pingEvery     = 5 * time.Second // a server that hangs is dropped after some of these
)

// Check returns an error if the configuration cannot work, whatever the state of the
// broker. It names the fix, and shows no password.
func (s Server) Check() error {
	if len(s.URLs) == 0 {
		return errors.New("no address of a broker is given")
	}
	for n, text := range s.URLs {
		if at, err := url.Parse(strings.TrimSpace(text)); err != nil || at.Host == "" || at.Scheme != "nats" && at.Scheme != "tls" {
			return fmt.Errorf("address %d of the broker cannot be used: give one such as nats://broker-1:4222 or tls://broker-1:4222", n+1)
		}
	}
	options := nats.GetDefaultOptions()
	for _, set := range s.secrets() {
		if err := set(&options); err != nil {
			return fmt.Errorf("read the credentials for the broker, or the authority of its certificates: %w", err)
		}
	}
	if options.SignatureCB == nil {
		return nil
	}
	if _, err := options.SignatureCB([]byte("nonce")); err != nil {
		return fmt.Errorf("read the key in the credentials for the broker: %w", err)
	}
	return nil
}

func (s Server) secrets() (options []nats.Option) {
	if s.Credentials != "" {
		options = append(options, nats.UserCredentials(s.Credentials))
	}
	if s.CA != "" {
		options = append(options, nats.RootCAs(s.CA))
	}
	return options
}

// Connect returns a connection that is made as soon as the broker is available, and
// made again after each loss, until ctx ends. A message that is published without a
// connection is refused at once: it would be stale when it arrives.
func (s Server) Connect(ctx context.Context, name string, failed nats.ErrHandler) (*nats.Conn, error) {
	options := append(s.secrets(), nats.Name(name), nats.SetCustomDialer(dialer{ctx}), nats.Timeout(dialLimit),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), nats.ErrorHandler(failed))
	conn, err := nats.Connect(strings.Join(s.URLs, ","), options...)
	if err != nil {
		return nil, fmt.Errorf("connect to the broker: %w", err)
	}
	return conn, nil
}

// dialer dials until its context ends.
type dialer struct{ ctx context.Context } //nolint:containedctx // the library hands over none

// Dial dials.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: dialLimit}).DialContext(d.ctx, network, address)
}
