package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"frontdesk/adapters/outbound"
)

// phase is how far a call has come.
type phase int

const (
	connecting  phase = iota // name, address, TCP
	handshaking              // TLS
	awaiting                 // the request is out, or on its way
	reading                  // the answer's body
)

// What a phase makes of time that has run out, and of an error that says
// nothing else.
var (
	timeouts = map[phase]Reason{connecting: TimeoutConnect, handshaking: TimeoutTLS, awaiting: TimeoutAnswer, reading: TimeoutBody}
	others   = map[phase]Reason{connecting: Unreachable, handshaking: TLSError, awaiting: InvalidAnswer, reading: InvalidAnswer}
)

// reasonOf is what an error of a call means that had come as far as p.
func reasonOf(err error, p phase) Reason {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, outbound.ErrBlocked):
		return BlockedAddress
	case isDNS && dns.IsNotFound:
		return DNSNotFound
	case isDNS:
		return DNSError
	case timedOut(err):
		return timeouts[p]
	}
	if reason := reasonOfCertificate(err); reason != "" {
		return reason
	}
	if reason := reasonOfConnection(err); reason != "" {
		return reason
	}
	return others[p]
}

func timedOut(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

func reasonOfCertificate(err error) Reason {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	_, isName := errors.AsType[x509.HostnameError](err)
	_, isVerification := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		return TLSExpired
	case isName:
		return TLSName
	case isVerification:
		return TLSUntrusted
	}
	return ""
}

func reasonOfConnection(err error) Reason {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ConnectionReset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Unreachable
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ConnectionClosed
	}
	return ""
}

// reasonOfStatus is why an answer is a failure; "" for a 2xx.
func reasonOfStatus(status int) Reason {
	switch status / 100 {
	case 2:
		return ""
	case 3:
		return HTTP3xx
	case 4:
		return HTTP4xx
	case 5:
		return HTTP5xx
	}
	return HTTPOther
}
