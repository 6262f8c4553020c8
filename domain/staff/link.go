package staff

import (
	"crypto/rand"
	"crypto/sha256"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// LinkLifetime is how long a link can be used.
const LinkLifetime = 72 * time.Hour

// The refusals about links.
var (
	// ErrLink is the one refusal of a link, whatever the reason, so that trying links
	// reveals nothing.
	ErrLink         = fault.New(fault.Missing, "unknown-link", "The link has been used, has ended or is not complete. Ask your manager for a new one.")
	ErrSignsInSoFar = fault.New(fault.Conflict, "signs-in-already", "This member of staff has chosen a password. To give them another link, reset how they sign in.")
)

// NewLink returns a link that is valid from now on, and its secret, which cannot be
// recovered later.
func NewLink(now time.Time) (link Link, secret string) {
	secret = rand.Text() + rand.Text() // 26 characters of 5 bits each, twice
	return Link{DigestOfLink(secret), now.Add(LinkLifetime)}, secret
}

// DigestOfLink is the digest of a link's secret in the log.
func DigestOfLink(secret string) event.Digest { return sha256.Sum256([]byte(secret)) }

// Invite gives a member without a password a link to choose one (rule 5). An earlier
// link ends.
func (m Member) Invite(by Link) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	if m.signsIn {
		return nil, ErrSignsInSoFar
	}
	return []event.Event{Invited{by}}, nil
}

// Reset ends the password and passkeys of the member of staff, at once, and gives them
// a link to choose another password (rules 5 and 10). An earlier link ends.
func (m Member) Reset(link Link, by Second) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	if err := m.mayReset(by); err != nil {
		return nil, err
	}
	return []event.Event{Reset{link}}, nil
}

// Accept sets the password that was chosen by a link (rule 5).
func (m Member) Accept(kept PasswordSet, now time.Time) ([]event.Event, error) {
	if err := m.HasLink(kept.Link, now); err != nil {
		return nil, err
	}
	return m.SetPassword(kept)
}

// HasLink returns [ErrLink] unless the link is theirs and can be used.
func (m Member) HasLink(digest event.Digest, now time.Time) error {
	if m.Active() != nil || digest.IsZero() || digest != m.link.Digest || !now.Before(m.link.ExpiresAt) {
		return ErrLink
	}
	return nil
}
