package cli

import (
	"net/netip"
	"time"

	"frontdesk/cmd/frontdesk/app"
)

// staffPagesFlags are the limits of the staff pages (D27).
type staffPagesFlags struct {
	Lockout      time.Duration  `default:"1m" help:"The first wait after too many wrong passwords; it doubles with each further one."`
	SessionIdle  time.Duration  `default:"30m" help:"Staff who do nothing for so long have to sign in again."`
	SessionLimit time.Duration  `default:"12h" help:"And everybody after so long."`
	TrustedProxy []netip.Prefix `placeholder:"CIDR" help:"Network of proxies whose X-Forwarded-For tells where staff sign in from; may be repeated."`
}

func (f staffPagesFlags) apply(c *app.Config) {
	c.Lockout, c.SessionIdle, c.SessionLimit, c.TrustedProxies = f.Lockout, f.SessionIdle, f.SessionLimit, f.TrustedProxy
}
