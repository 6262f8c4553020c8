package webhooks

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/adapters/outbound"
)

// answerBytes is how much of an answer's body is read (D32): enough to use the
// connection again after a usual one.
const answerBytes = 4 << 10

// NewClient is the client that webhooks are sent with: it sends once what it is
// told to send, and connects only where guard lets it. Receivers must be
// trusted by roots, or by the system's when nil.
func NewClient(guard outbound.Guard, roots *x509.CertPool) *http.Client {
	transport := outbound.NewTransport(guard, roots)
	// Destinations may share a host: a connection is worth keeping for whoever
	// is next, for the 4 s that it is kept.
	transport.MaxIdleConns = overAll
	transport.MaxIdleConnsPerHost = overAll
	return outbound.NewClient(transport)
}

// result is what came of a call.
type result struct {
	reason          Reason // "" when it was answered with a 2xx
	status          int
	connect, answer time.Duration
	reused          bool
}

// post makes one call and reads its answer, within the time that ctx allows.
func post(ctx context.Context, client *http.Client, url, token string) result {
	watch := newStopwatch()
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, watch.trace()), http.MethodPost, url, strings.NewReader(token))
	if err != nil {
		return result{reason: BlockedAddress}
	}
	// No Idempotency-Key of any kind: Go's client takes it for leave to send
	// again (D29).
	request.Header.Set("Content-Type", "application/jwt")
	request.Header.Set("User-Agent", "frontdesk-webhooks")
	status, err := exchange(client, request, watch)
	result := watch.result()
	result.status = status
	if err != nil {
		result.reason = reasonOf(err, watch.phase())
	} else {
		result.reason = reasonOfStatus(status)
	}
	return result
}

func exchange(client *http.Client, request *http.Request, watch *stopwatch) (status int, err error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	watch.reached(reading)
	_, err = io.CopyN(io.Discard, response.Body, answerBytes)
	if errors.Is(err, io.EOF) { // shorter, as it should be; unless it ended because we hung up
		err = request.Context().Err()
	}
	return response.StatusCode, err
}

// stopwatch follows a call. Its hooks run in the transport's goroutines, some
// of which may outlive the call.
type stopwatch struct {
	begun           time.Time
	at              atomic.Int32 // phase
	reused          atomic.Bool
	connect, answer atomic.Int64
}

func newStopwatch() *stopwatch { return &stopwatch{begun: time.Now()} }

func (w *stopwatch) reached(p phase) { w.at.Store(int32(p)) }

func (w *stopwatch) phase() phase { return phase(w.at.Load()) }

func (w *stopwatch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				w.at.CompareAndSwap(int32(connecting), int32(handshaking))
			}
		},
		GotConn: func(info httptrace.GotConnInfo) {
			w.reached(awaiting)
			w.reused.Store(info.Reused)
			w.connect.Store(int64(time.Since(w.begun)))
		},
		GotFirstResponseByte: func() { w.answer.Store(int64(time.Since(w.begun))) },
	}
}

func (w *stopwatch) result() result {
	return result{
		connect: time.Duration(w.connect.Load()), answer: time.Duration(w.answer.Load()), reused: w.reused.Load(),
	}
}
