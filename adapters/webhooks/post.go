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

	"frontdesk/adapters/clock"
	"frontdesk/adapters/outbound"
	"frontdesk/adapters/tracing"
)

// NewClient returns the HTTP client for webhooks. It sends each request once, and
// connects only where guard allows. Receivers' certificates are verified against roots;
// nil means the system's.
func NewClient(guard outbound.Guard, roots *x509.CertPool) *http.Client {
	transport := outbound.NewTransport(guard, roots)
	// Destinations may share a host. Its idle connections are kept for all of them, for
	// 4 s.
	transport.MaxIdleConns = overAll
	transport.MaxIdleConnsPerHost = overAll
	return outbound.NewClient(transport)
}

// answer is the result of a call.
type answer struct {
	status           int           // 0 if there was no answer
	connected, began time.Duration // since the call began; 0 if it did not get that far
	reused           bool
}

// post makes one call and reads its answer, before ctx ends. The reason says why the
// call failed; it is "" for a 2xx.
func post(ctx context.Context, client *http.Client, url, token string) (answer, Reason) {
	watch := newStopwatch()
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, watch.trace()), http.MethodPost, url, strings.NewReader(token))
	if err != nil {
		return answer{}, BlockedAddress
	}
	// An Idempotency-Key header of any kind would make Go's client retry the request.
	request.Header.Set("Content-Type", "application/jwt")
	request.Header.Set("User-Agent", "frontdesk-webhooks")
	tracing.Propagate(ctx, request.Header)
	status, err := exchange(client, request, watch)
	if err != nil {
		return watch.answer(status), reasonOf(err, watch.phase())
	}
	return watch.answer(status), reasonOfStatus(status)
}

func exchange(client *http.Client, request *http.Request, watch *stopwatch) (status int, err error) {
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	watch.reached(reading)
	_, err = io.CopyN(io.Discard, response.Body, answerBytes)
	if errors.Is(err, io.EOF) { // a short body is normal, unless it ended because we closed the connection
		err = request.Context().Err()
	}
	return response.StatusCode, err
}

// phase is the phase that a call has reached.
type phase int

const (
	connecting  phase = iota // name, address, TCP
	handshaking              // TLS
	awaiting                 // the request is sent, or being sent
	reading                  // the answer's body
)

// stopwatch times a call. The transport's goroutines call its hooks, and some may
// outlive the call.
type stopwatch struct {
	clock.Stopwatch
	at               atomic.Int32 // phase
	reused           atomic.Bool
	connected, began atomic.Int64
}

func newStopwatch() *stopwatch { return &stopwatch{Stopwatch: clock.Start()} }

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
			w.connected.Store(int64(w.Elapsed()))
		},
		GotFirstResponseByte: func() { w.began.Store(int64(w.Elapsed())) },
	}
}

func (w *stopwatch) answer(status int) answer {
	return answer{
		status: status, reused: w.reused.Load(),
		connected: time.Duration(w.connected.Load()), began: time.Duration(w.began.Load()),
	}
}
