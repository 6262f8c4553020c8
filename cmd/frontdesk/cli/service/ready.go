package service

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"frontdesk/cmd/frontdesk/cli/term"
)

// ReadyCmd asks as a proxy does. It is for where nothing else can ask, such as in a
// container that holds the program alone.
type ReadyCmd struct {
	Config        servingFile `placeholder:"FILE" help:"YAML config file, with the address on which \"serve\" listens on this machine."`
	PrivateListen string      `default:"127.0.0.1:9090" placeholder:"HOST:PORT" help:"The --private-listen of \"serve\" on this machine."`
}

const (
	readyLimit  = 5 * time.Second // for an answer
	readyLength = 4096            // of an answer, in bytes
)

// Run prints the answer of the process, and fails if it is not ready.
func (c *ReadyCmd) Run(r *term.Run) error {
	ctx, cancel := context.WithTimeout(r.Context, readyLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachedFromHere(c.PrivateListen)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("--private-listen is HOST:PORT: %w", err)
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(io.LimitReader(response.Body, readyLength))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", strings.TrimSpace(string(said)))
	}
	_, err = r.Out.Write(said)
	return err
}

// reachedFromHere is where a process that listens there is reached on its own machine.
func reachedFromHere(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if address, err := netip.ParseAddr(host); host == "" || err == nil && address.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}
