package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"

	"frontdesk/domain/fault"
)

// ErrBlocked means that an address was not called, because it is not public and the operator has
// not opened it. Dial errors wrap it.
var ErrBlocked = errors.New("the address is not open to outbound calls")

// azureWireServer is the only metadata service with a public address. The others
// (169.254.169.254, fd00:ec2::254, 100.100.100.200, 192.0.0.192) are in closed ranges.
var azureWireServer = netip.MustParsePrefix("168.63.129.16/32")

// Guard decides which addresses may be called. The zero value allows public ones only.
type Guard struct {
	// Allow lists the networks that the operator opened beyond the public
	// Internet. Plain http reaches these networks only.
	Allow []netip.Prefix
	// Flag is the flag that opens a network, for refusals shown to an operator;
	// otherwise "".
	Flag string
}

// CheckAddr returns [ErrBlocked] unless addr is public or opened. Not public are
// loopback, private, link-local, shared (CGNAT), multicast, metadata and
// documentation addresses, and every IPv6 address that carries an IPv4 address
// (mapped, NAT64, 6to4, Teredo).
func (g Guard) CheckAddr(addr netip.Addr) error {
	if g.opened(addr) {
		return nil
	}
	if err := public.SafeAddr(addr); err != nil {
		return fmt.Errorf("%w: %w", ErrBlocked, err)
	}
	return nil
}

// public has the registered ranges of special addresses.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureWireServer))

// opened reports whether the operator opened addr. An address with a zone
// never matches.
func (g Guard) opened(addr netip.Addr) bool {
	return slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// checkOpened is the check for plain http, which reaches opened networks only.
func (g Guard) checkOpened(addr netip.Addr) error {
	if !g.opened(addr) {
		return fmt.Errorf("%w: http reaches opened networks only, not %s", ErrBlocked, addr)
	}
	return nil
}

// control makes a check a [net.Dialer.Control], which runs just before the operating
// system connects.
func control(check func(netip.Addr) error) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return fmt.Errorf("%w: network %s", ErrBlocked, network)
		}
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBlocked, err)
		}
		return check(target.Addr())
	}
}

// ErrURL refuses an address that must not be registered, with the reason in its detail.
var ErrURL = fault.New(fault.Invalid, "invalid-url", "The URL is not one that may be called.")

// maxURL is the maximum length of a registered address, in bytes.
const maxURL = 2048

// CheckURL checks the text of an address, and refuses with [ErrURL] (D9). The address
// must be https, or http to a network that the operator opened. It must name a host,
// without user info or fragment. A literal IP address is checked here, a name only when
// it is dialled.
func (g Guard) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURL:
		return ErrURL.With("The URL must not be longer than %d bytes.", maxURL)
	case err != nil || u.Hostname() == "":
		return ErrURL.With("The URL must be of the form https://host/path.")
	case u.User != nil:
		return ErrURL.With("The URL must not hold a user name or a password.")
	case strings.Contains(raw, "#"):
		return ErrURL.With("The URL must not hold a fragment.")
	case !validPort(u.Port()):
		return ErrURL.With("The URL's port must be between 1 and 65535.")
	}
	return g.checkHost(u.Scheme, u.Hostname())
}

func (g Guard) checkHost(scheme, host string) error {
	addr, err := netip.ParseAddr(host)
	literal := err == nil
	switch {
	case scheme == "https" && literal && g.CheckAddr(addr) != nil:
		return ErrURL.With("The URL's address is not public: its network must be opened first%s.", g.byFlag())
	case scheme == "https":
		return nil
	case scheme != "http":
		return ErrURL.With("The URL must start with https.")
	case literal && !g.opened(addr), len(g.Allow) == 0:
		return ErrURL.With("The URL must start with https: http is for opened networks only%s.", g.byFlag())
	}
	return nil
}

func (g Guard) byFlag() string {
	if g.Flag == "" {
		return ""
	}
	return ", by " + g.Flag
}

func validPort(port string) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && number > 0
}
