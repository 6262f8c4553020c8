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

// settings are those of each service; many are the sandbox's own.
func (i *instance) settings(ctx context.Context, sockets *sockets) (c app.Config, err error) {
	c = i.config.App
	c.Log, c.Docs = i.config.Log, &i.docs
	if c.MasterKeys, err = masterKeys(i.config.Dir); err != nil {
		return c, err
	}
	if c.RootCAs, err = i.inbox.trusted(i.config.Trust); err != nil {
		return c, err
	}
	c.Now, c.RealNow = i.clock.Now, i.config.Now
	c.Listening = sockets.listen
	if c.Listen, err = sockets.claim(ctx, c.Listen); err != nil {
		return c, err
	}
	if c.PrivateListen, err = i.claimPrivate(ctx, sockets, c.PrivateListen); err != nil {
		return c, err
	}
	c.DatabaseURL = i.database.URL(databaseName, servingRole)
	c.APIDomain, c.DefaultTenant = "localhost", tenant
	c.AllowNetwork = append(c.AllowNetwork, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	return c, nil
}

// claimPrivate claims the requested address, or another port of it if that one is taken:
// readers find the address in the sandbox's file.
func (i *instance) claimPrivate(ctx context.Context, sockets *sockets, wanted string) (string, error) {
	if wanted == "" {
		return "", nil
	}
	claimed, err := sockets.claim(ctx, wanted)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return claimed, err
	}
	i.config.Log.WarnContext(ctx, "the port for metrics is taken; using another", slog.String("taken", wanted))
	host, _, err := net.SplitHostPort(wanted)
	if err != nil {
		return "", err
	}
	return sockets.claim(ctx, net.JoinHostPort(host, "0"))
}
