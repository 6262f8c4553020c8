package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/tracing"
)

// send starts to send the claimed deliveries, and releases those that this process
// cannot send. Nothing is sent after last.
func (r *round) send(ctx context.Context, last time.Time, found claimed) error {
	if err := r.prepare(ctx, found); err != nil {
		return errors.Join(err, r.release(ctx, found.send), r.release(ctx, found.foreign))
	}
	for _, d := range found.send {
		lane, claimCtx := r.lanes.take(d.destination), r.claimCtx
		r.sends.Go(func() {
			claimCtx, cancel := context.WithDeadline(claimCtx, last)
			defer cancel()
			r.done <- r.deliver(claimCtx, lane, d)
		})
	}
	r.Metrics.setLanes(r.lanes)
	return r.release(ctx, found.foreign)
}

// prepare sets the key and the names of the deliveries.
func (s *Sender) prepare(ctx context.Context, found claimed) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timeout)
	defer cancel()
	sign, err := s.Signer.With(ctx, found.kid)
	if err != nil {
		return err
	}
	for i := range found.send {
		found.send[i].key = signingKey{found.kid, sign}
	}
	return s.lookUp(ctx, found.send)
}

// errReleased: only a newer program, or one with another master key, can send the
// deliveries that this one has claimed.
var errReleased = errors.New("deliveries were left to others")

// release returns deliveries that this process cannot send to the queue. It does so in
// a round trip of its own, so that the next claim does not find the same ones at once.
func (r *round) release(ctx context.Context, deliveries []delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	for _, d := range deliveries {
		o := d.ends(Pending, "")
		o.at = r.Now()
		r.finished = append(r.finished, o)
	}
	_, err := r.roundTrip(ctx, false)
	return errors.Join(errReleased, err)
}

// deliver makes the one attempt, if its lane has a free slot before going ends: after
// that, other processes may count the delivery as lost. A delivery that was not begun
// can be claimed again.
func (s *Sender) deliver(claimCtx context.Context, lane *lane, d delivery) outcome {
	begun := s.RealNow()
	claimCtx, span := s.Traces.Telling(claimCtx, d.event)
	o := s.attempt(claimCtx, lane, d)
	o.at = s.Now()
	endSpan(span, d, o)
	if o.status != Pending {
		s.report(claimCtx, d, o, s.RealNow().Sub(begun))
	}
	return o
}

func (s *Sender) attempt(claimCtx context.Context, lane *lane, d delivery) outcome {
	if s.CheckURL(d.url) != nil {
		return d.ends(Failed, BlockedAddress)
	}
	if !d.hasNotice || d.names.missing {
		return d.ends(Failed, NotBuilt)
	}
	token := s.tokens.tokenFor(d)
	if token.err != nil {
		return d.ends(Failed, NotBuilt)
	}
	if !lane.enter(claimCtx, s.Timeout/quickly) {
		return d.ends(Pending, "")
	}
	defer lane.leave()
	if s.Now().After(d.notAfter) {
		return d.ends(Pending, "") // a claim ends it as expired
	}
	return s.post(claimCtx, d, token)
}

// post sends a delivery that has begun: it is not cancelled when going ends early.
func (s *Sender) post(claimCtx context.Context, d delivery, token *token) outcome {
	last, _ := claimCtx.Deadline()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(claimCtx), last)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	if s.Sending != nil {
		defer context.AfterFunc(s.Sending, cancel)()
	}
	o := d.ends(Delivered, "")
	o.kid = token.kid
	watch := clock.Start()
	if o.answer, o.reason = post(ctx, s.Client, d.url, token.text); o.reason != "" {
		o.status = Failed
	}
	o.quick = o.status == Delivered && watch.Elapsed() <= s.Timeout/quickly
	s.Metrics.connected(o.answer.reused)
	return o
}

// endSpan ends the span of an attempt. It leaves out the URL, which may hold a secret.
func endSpan(span tracing.Span, d delivery, o outcome) {
	span.Text("frontdesk.webhook", string(d.kind))
	span.Text("frontdesk.application", o.application.String())
	span.Text("frontdesk.status", string(o.status))
	span.Text("frontdesk.reason", string(o.reason))
	span.Number("http.response.status_code", o.answer.status)
	span.End(o.status == Failed)
}

// report logs the outcome of an attempt, in identifiers and our own words: no content
// of the notice or of the answer.
func (s *Sender) report(ctx context.Context, d delivery, o outcome, took time.Duration) {
	s.Metrics.counted(d.kind, o.status, o.reason)
	s.Metrics.attempted(o)
	s.Metrics.took(d.kind, d.event.At, o.at, took)
	s.Log.InfoContext(ctx, "webhook", slog.String("jti", o.event.String()), slog.String("event", string(d.kind)),
		slog.String("tenant", d.event.Stream.Tenant), slog.String("application", o.application.String()),
		slog.String("status", string(o.status)), slog.String("reason", string(o.reason)), slog.Int("http_status", o.answer.status),
		slog.Duration("took", took))
}
