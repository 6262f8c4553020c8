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

// Reason is why a delivery failed. It is one of a closed set, safe to show to the
// receiver's owner: it never quotes an address, an answer or a Go error.
type Reason string

// The reasons.
const (
	HTTP3xx           Reason = "http_3xx"
	HTTP4xx           Reason = "http_4xx"
	HTTP5xx           Reason = "http_5xx"
	HTTPOther         Reason = "http_other"
	DNSNotFound       Reason = "dns_not_found"
	DNSError          Reason = "dns_error"
	BlockedAddress    Reason = "blocked_address"
	Unreachable       Reason = "unreachable"
	ConnectionRefused Reason = "connection_refused"
	ConnectionReset   Reason = "connection_reset"
	ConnectionClosed  Reason = "connection_closed"
	TimeoutConnect    Reason = "timeout_connect"
	TimeoutTLS        Reason = "timeout_tls"
	TimeoutAnswer     Reason = "timeout_answer"
	TimeoutBody       Reason = "timeout_body"
	TLSExpired        Reason = "tls_expired"
	TLSName           Reason = "tls_name"
	TLSUntrusted      Reason = "tls_untrusted"
	TLSError          Reason = "tls_error"
	InvalidAnswer     Reason = "invalid_answer"
	NotBuilt          Reason = "not_built"
	PatientErased     Reason = "erased"
)

// sentences explain each reason to the receiver's owner.
var sentences = map[Reason]string{
	HTTP3xx:           "The receiver answered with a redirect. Redirects are not followed: register the final address.",
	HTTP4xx:           "The receiver refused the webhook (4xx).",
	HTTP5xx:           "The receiver failed (5xx).",
	HTTPOther:         "The receiver answered with a status that is neither success nor failure.",
	DNSNotFound:       "The receiver's host name does not exist.",
	DNSError:          "The receiver's host name could not be resolved.",
	BlockedAddress:    "The receiver's address is not one that this service may call.",
	Unreachable:       "There was no way to the receiver's network.",
	ConnectionRefused: "Nothing listens at the receiver's address.",
	ConnectionReset:   "The receiver broke the connection off.",
	ConnectionClosed:  "The receiver closed the connection without an answer.",
	TimeoutConnect:    "The receiver could not be connected to in time.",
	TimeoutTLS:        "The TLS handshake did not end in time.",
	TimeoutAnswer:     "The receiver did not answer in time. Answer first, and work afterwards.",
	TimeoutBody:       "The receiver's answer began and did not end in time.",
	TLSExpired:        "The receiver's certificate has expired or is not valid yet.",
	TLSName:           "The receiver's certificate is for another host name.",
	TLSUntrusted:      "The receiver's certificate is not signed by an authority that is trusted here.",
	TLSError:          "The TLS handshake failed, or the receiver does not speak TLS 1.2 or later.",
	InvalidAnswer:     "The receiver's answer was not HTTP, or its headers were too long.",
	NotBuilt:          "The webhook could not be built: what it is about is gone. Nothing was sent.",
	PatientErased:     "The patient whom the webhook is about has been erased. Nothing was sent.",
}

// Sentence explains the reason to the receiver's owner.
func (r Reason) Sentence() string { return sentences[r] }

// The reasons for a timeout in a phase, and for any other error in a phase that has no
// reason of its own.
var (
	timeouts = map[phase]Reason{connecting: TimeoutConnect, handshaking: TimeoutTLS, awaiting: TimeoutAnswer, reading: TimeoutBody}
	others   = map[phase]Reason{connecting: Unreachable, handshaking: TLSError, awaiting: InvalidAnswer, reading: InvalidAnswer}
)

// reasonOf returns the reason for an error of a call that had reached phase p.
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

// reasonOfStatus returns why an answer is a failure; "" for a 2xx.
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
