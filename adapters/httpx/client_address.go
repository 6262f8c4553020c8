package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress returns the client of a request, as far as it can be known. It is the address
// of the connection or, behind trusted proxies, the last address in X-Forwarded-For
// that is not a trusted proxy's. A client with one IPv6 address has 2⁶⁴ of them, so an
// IPv6 address counts as its /64 network.
func ClientAddress(r *http.Request, proxies []netip.Prefix) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	source := at.Addr().Unmap().WithZone("")
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(forwarded) {
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil || !trusted(source, proxies) {
			break
		}
		source = before.Unmap().WithZone("")
	}
	if source.Is6() {
		network, _ := source.Prefix(64)
		return network.String()
	}
	return source.String()
}

func trusted(addr netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}
