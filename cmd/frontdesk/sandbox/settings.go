package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"syscall"

	"frontdesk/cmd/frontdesk/app"
)

// settings are those of each service, of which many are the sandbox's own.
func (h *house) settings(ctx context.Context, sockets *sockets) (c app.Config, err error) {
	c = h.config.App
	c.Log, c.Docs = h.config.Log, &h.docs
	if c.MasterKeys, err = masterKeys(h.config.Dir); err != nil {
		return c, err
	}
	if c.RootCAs, err = h.inbox.trusted(h.config.Trust); err != nil {
		return c, err
	}
	c.Now, c.RealNow = h.clock.Now, h.config.Now
	c.Listening = sockets.listen
	if c.Listen, err = sockets.claim(ctx, c.Listen); err != nil {
		return c, err
	}
	if c.PrivateListen, err = h.claimPrivate(ctx, sockets, c.PrivateListen); err != nil {
		return c, err
	}
	c.DatabaseURL = h.database.URL(databaseName, servingRole)
	c.APIDomain, c.DefaultTenant = "localhost", tenant
	c.AllowNetwork = append(c.AllowNetwork, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	return c, nil
}

// claimPrivate claims the address that was asked for, or another port of it if that one is
// taken: whoever looks at a sandbox reads from its file where to look.
func (h *house) claimPrivate(ctx context.Context, sockets *sockets, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	claimed, err := sockets.claim(ctx, wanted)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return claimed, err
	}
	h.config.Log.WarnContext(ctx, "the port for metrics is taken; another is used", slog.String("taken", wanted))
	host, _, err := net.SplitHostPort(wanted)
	if err != nil {
		return "", err
	}
	return sockets.claim(ctx, net.JoinHostPort(host, "0"))
}
