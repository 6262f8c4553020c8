package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// errNothingToTell says that an event, or what it is about, cannot be told.
var errNothingToTell = errors.New("the event tells nothing")

// deliver makes the one attempt.
func (s *Sender) deliver(ctx context.Context, d dispatch) outcome {
	begun := s.Now()
	o := s.attempt(ctx, d)
	o.at = s.Now()
	s.report(ctx, d, o, o.at.Sub(begun))
	return o
}

func (s *Sender) attempt(ctx context.Context, d dispatch) outcome {
	if s.CheckURL(d.url) != nil {
		return s.outcomeOf(d, Failed, BlockedAddress)
	}
	token := s.tokens.of(d)
	if d.unreadable || d.names.missing || token.failed != nil {
		return s.outcomeOf(d, Failed, NotBuilt)
	}
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	result := post(ctx, s.Client, d.url, token.text)
	s.Metrics.connected(result.reused)
	o := s.outcomeOf(d, Delivered, result.reason)
	if result.reason != "" {
		o.status = Failed
	}
	o.kid, o.http, o.connect, o.answer = token.kid, result.status, result.connect, result.answer
	return o
}

func (s *Sender) outcomeOf(d dispatch, status Status, reason Reason) outcome {
	return outcome{
		event: d.recorded.ID, application: d.application, attempt: d.attempt, destination: d.destination,
		status: status, reason: reason, at: s.Now(),
	}
}

// report says how an attempt went: ids and words of our own, nothing of what
// was told, and nothing that the receiver said.
func (s *Sender) report(ctx context.Context, d dispatch, o outcome, took time.Duration) {
	notice, _ := noticeOf(d.recorded.Event)
	s.Metrics.counted(notice.kind, o.status, o.reason)
	s.Metrics.took(notice.kind, d.recorded.At, o.at, took)
	s.Log.InfoContext(ctx, "webhook", slog.String("jti", o.event.String()), slog.String("event", string(notice.kind)),
		slog.String("tenant", d.recorded.Stream.Tenant), slog.String("application", o.application.String()),
		slog.String("status", string(o.status)), slog.String("reason", string(o.reason)), slog.Int("http_status", o.http),
		slog.Duration("took", took))
}
