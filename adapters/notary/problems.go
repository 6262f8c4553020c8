package notary

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// Alarm is the error that a log differs from its signed state. Other errors pass on their
// own.
type Alarm string

// Error returns the sentence.
func (a Alarm) Error() string { return string(a) }

func isAlarm(err error) bool {
	_, is := errors.AsType[Alarm](err)
	return is
}

// logProblems logs problems. Each is logged once an hour, ignoring its numbers.
func (s *Signer) logProblems(ctx context.Context, problems []error) {
	now := s.Now()
	for thing, at := range s.lastLogged {
		if now.Sub(at) >= logAgain {
			delete(s.lastLogged, thing)
		}
	}
	for _, e := range problems {
		thing := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, e.Error())
		if _, logged := s.lastLogged[thing]; logged || ctx.Err() != nil {
			continue
		}
		s.lastLogged[thing] = now
		if isAlarm(e) {
			s.Log.ErrorContext(ctx, "the log differs from its signed state", slog.Any("error", e))
			continue
		}
		s.Log.WarnContext(ctx, "some checkpoints are not signed, witnessed and published; retrying", slog.Any("error", e))
	}
}
