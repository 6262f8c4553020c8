package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// ErrBlocked says that an address was not called because it is not public and
// the operator has not opened it. Errors of dialling wrap it.
var ErrBlocked = errors.New("the address is not open to outbound calls")

// azureWireServer is the one metadata service that hides behind a public
// address. The others (169.254.169.254, fd00:ec2::254, 100.100.100.200,
// 192.0.0.192) lie in ranges that are closed anyway.
var azureWireServer = netip.MustParsePrefix("168.63.129.16/32")

// Guard judges addresses. The zero value opens public ones only (D9).
type Guard struct {
	// Allow is what the operator opened on purpose, beyond the public
	// Internet. Plain http reaches these networks and no others.
	Allow []netip.Prefix
}

// CheckAddr is [ErrBlocked] unless addr is public or opened. Loopback,
// private, link-local, shared (CGNAT), multicast, metadata and documentation
// addresses are not public, nor is an IPv6 address that carries an IPv4 one
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

// public knows the registries of special addresses.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureWireServer))

// opened reports whether the operator opened addr. An address with a zone
// never matches.
func (g Guard) opened(addr netip.Addr) bool {
	return slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// checkOpened is what plain http needs: being public is not enough.
func (g Guard) checkOpened(addr netip.Addr) error {
	if !g.opened(addr) {
		return fmt.Errorf("%w: http reaches opened networks only, not %s", ErrBlocked, addr)
	}
	return nil
}

// control turns a judgement into a [net.Dialer.Control]: the last word before
// the operating system connects.
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
