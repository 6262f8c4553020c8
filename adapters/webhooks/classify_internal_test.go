package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"testing"
)

// Errors that loopback cannot be made to produce.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://app.example/?secret", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for _, c := range []struct {
		err   error
		phase phase
		want  Reason
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "app.example", IsNotFound: true}), connecting, DNSNotFound},
		{dial(&net.DNSError{Err: "server misbehaving", IsTemporary: true}), connecting, DNSError},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), connecting, DNSError},
		{dial(syscall.EHOSTUNREACH), connecting, Unreachable},
		{dial(syscall.ENETUNREACH), connecting, Unreachable},
		{dial(syscall.ETIMEDOUT), connecting, TimeoutConnect},
		{dial(context.DeadlineExceeded), connecting, TimeoutConnect},
		{dial(syscall.EADDRNOTAVAIL), connecting, Unreachable},
		{errors.New("tls: server selected unsupported protocol version 301"), handshaking, TLSError},
		{fmt.Errorf("wrapped: %w", syscall.EPIPE), awaiting, ConnectionReset},
		{context.DeadlineExceeded, reading, TimeoutBody},
	} {
		if got := reasonOf(c.err, c.phase); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}

func TestTheFullerTheHouseTheFewerForEach_D32(t *testing.T) {
	t.Parallel()
	lanes := newLanes()
	// 64 dead receivers would hold all of 256 slots with four each.
	for range 4 {
		for i := range 64 {
			if destination := [16]byte{byte(i)}; lanes.free() > 0 && lanes.inFlight[destination] < lanes.share() {
				lanes.take(destination)
			}
		}
	}
	if lanes.free() == 0 {
		t.Error("there is no slot left for a healthy receiver")
	}
	for destination := range lanes.inFlight {
		for lanes.inFlight[destination] > 0 {
			lanes.give(destination)
		}
	}
	if lanes.total != 0 || lanes.share() != perDestination || len(lanes.inFlight) != 0 {
		t.Errorf("%d in flight, share %d, %d lanes", lanes.total, lanes.share(), len(lanes.inFlight))
	}
}
