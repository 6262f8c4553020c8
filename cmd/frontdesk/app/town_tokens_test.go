package app_test

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
)

// token is one of now; a sound one may say more than it must.
func (c caller) token(a bearertest.Application, m madeCall) string {
	var edits []bearertest.Edit
	if m.username != "" {
		edits = append(edits, bearertest.As(m.username))
	}
	switch {
	case !m.sound:
		return one(c.random, faultyTokens...)(a, c.clock.Now(), edits)
	case c.random.IntN(10) == 0: // nobody looks at it (D4)
		edits = append(edits, bearertest.Claim("aud", "https://elsewhere.example"))
	case m.username == "" && c.random.IntN(2) == 0:
		edits = append(edits, bearertest.Claim("act", bearertest.Act()))
	}
	return a.Token(c.clock.Now(), edits...)
}

// faultyTokens are refused before anybody is known to have called (D3).
var faultyTokens = []func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string{
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // expired
		return a.Token(now.Add(-3*time.Minute), edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // of the future
		return a.Token(now.Add(3*time.Minute), edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // too long a life
		return a.Token(now, append(edits, bearertest.Claim("exp", now.Unix()+61))...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // another's
		return a.Token(now, append(edits, bearertest.Claim("azp", "nobody"))...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // nobody's
		a.ID.UUID = uuid.New()
		return a.Token(now, edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // a key of another name
		a.Kid = "another-key"
		return a.Token(now, edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // another key of the same name
		if a.Key == bearertest.Key() {
			a.Key = bearertest.StrangersKey() // which is another application's
		} else {
			a.Key = bearertest.Key()
		}
		return a.Token(now, edits...)
	},
}
