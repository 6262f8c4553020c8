package postgres

import (
	"cmp"
	"syscall"
	"time"
)

// boundUnacknowledged also applies the limit to data that is sent and not acknowledged.
// Keep-alive is silent while such data is under way, and Linux would resend it for a
// quarter of an hour.
func boundUnacknowledged(network, _ string, conn syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	const tcpUserTimeout = 18 // TCP_USER_TIMEOUT, in milliseconds
	var refused error
	err := conn.Control(func(fd uintptr) {
		refused = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(vanished/time.Millisecond))
	})
	return cmp.Or(err, refused)
}
