package outbound

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"frontdesk/domain/fault"
)

// ErrURL refuses an address that may not be registered. Its detail says why.
var ErrURL = fault.New(fault.Invalid, "invalid-url", "The URL is not one that may be called.")

// maxURL bounds a registered address, in bytes.
const maxURL = 2048

// CheckURL refuses with [ErrURL] what can be told from the text of an address
// alone (D9): it is https, or http where the operator opened the network; it
// names a host, and neither user info nor a fragment. A literal address is
// judged at once, a name only when it is dialled.
func (g Guard) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > maxURL:
		return ErrURL.With("The URL is longer than %d bytes.", maxURL)
	case err != nil || u.Hostname() == "":
		return ErrURL.With("The URL is not of the form https://host/path.")
	case u.User != nil:
		return ErrURL.With("The URL must not hold a user name or a password.")
	case strings.Contains(raw, "#"):
		return ErrURL.With("The URL must not hold a fragment.")
	case !validPort(u.Port()):
		return ErrURL.With("The URL's port is not between 1 and 65535.")
	}
	return g.checkHost(u.Scheme, u.Hostname())
}

func (g Guard) checkHost(scheme, host string) error {
	addr, err := netip.ParseAddr(host)
	literal := err == nil
	switch {
	case scheme == "https" && literal && g.CheckAddr(addr) != nil:
		return ErrURL.With("The URL's address is not public and its network is not opened.")
	case scheme == "https":
		return nil
	case scheme != "http":
		return ErrURL.With("The URL must start with https.")
	case literal && !g.opened(addr), len(g.Allow) == 0:
		return ErrURL.With("The URL must start with https: http is for opened networks only.")
	}
	return nil
}

func validPort(port string) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && number > 0
}
