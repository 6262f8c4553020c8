package bearer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"frontdesk/adapters/outbound"
	"frontdesk/domain/fault"
)

// statusError is an answer other than 200.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// sentence advises what to do about the status.
func (s statusError) sentence() string {
	if s >= http.StatusMultipleChoices && s < http.StatusBadRequest {
		return fmt.Sprintf("The URL answered with status %d, a redirect, which is not followed: register the address that it leads to.", s)
	}
	return fmt.Sprintf("The URL answered with status %d: it must answer 200 with the key set.", s)
}

// unreachableBy describes how a URL failed, with nothing about the network that the
// application could not see for itself: no address, and no error text.
func unreachableBy(cause error) string {
	if status, answered := errors.AsType[statusError](cause); answered {
		return status.sentence()
	}
	if refusal, refused := errors.AsType[*fault.Error](cause); refused {
		return "The URL is not called. " + refusal.Detail
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](cause); ok {
		return "The certificate of the URL's host is not trusted: " + distrust(untrusted) + "."
	}
	switch {
	case errors.Is(cause, outbound.ErrBlocked):
		return "The URL is not called, because the address of its host is not a public one."
	case is[*net.DNSError](cause):
		return "The name of the URL's host could not be resolved."
	case errors.Is(cause, syscall.ECONNREFUSED):
		return "The URL's host refused the connection."
	case errors.Is(cause, os.ErrDeadlineExceeded), errors.Is(cause, context.DeadlineExceeded):
		return fmt.Sprintf("The URL did not answer within %.0f s.", fetchTimeout.Seconds())
	case errors.Is(cause, http.ErrSchemeMismatch), is[tls.RecordHeaderError](cause), is[tls.AlertError](cause):
		return "The URL's host did not agree on a TLS connection."
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF), errors.Is(cause, syscall.ECONNRESET):
		return "The URL's host closed the connection before its answer was whole."
	}
	return "The URL did not respond."
}

// distrust returns why a certificate is not trusted, as the rest of a sentence.
func distrust(err *tls.CertificateVerificationError) string {
	invalid, _ := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case is[x509.HostnameError](err):
		return "it is for another name"
	case invalid.Cert != nil && invalid.Reason == x509.Expired:
		return "it has expired, or is not valid yet"
	case is[x509.UnknownAuthorityError](err):
		return "no authority that is known here has signed it, or an intermediate certificate is not sent with it"
	}
	return "it is not valid"
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
