package application

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"frontdesk/domain/fault"
)

// ErrInvalidCallback is the refusal of a callback that could harm a browser or
// its user (D25).
var ErrInvalidCallback = fault.New(fault.Invalid, "invalid-callback",
	"A callback is an absolute https URL, an http URL on loopback, or a URL of the application's own scheme; "+
		"without user info and without a fragment.")

// barredSchemes run code, read files or show what the sender chose.
var barredSchemes = []string{"javascript", "data", "vbscript", "file", "blob", "about", "filesystem"}

// CheckCallback refuses what may never be registered (D25).
func CheckCallback(callback string) error {
	parsed, err := url.Parse(callback)
	switch {
	case err != nil, strings.ContainsFunc(callback, isUnsafe),
		!parsed.IsAbs(), slices.Contains(barredSchemes, parsed.Scheme),
		strings.Contains(callback, "#"), parsed.User != nil:
		return ErrInvalidCallback
	case parsed.Scheme == "https" && parsed.Hostname() != "",
		parsed.Scheme == "http" && IsLoopback(parsed.Hostname()),
		parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil
	}
	return ErrInvalidCallback
}

// isUnsafe finds what browsers strip or rewrite before they read a URL.
func isUnsafe(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r > 0x7e }

// IsLoopback reports whether a host is this machine, by its own word.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
