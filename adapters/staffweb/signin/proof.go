package signin

import (
	"context"
	"errors"
	"time"

	"frontdesk/domain/staff"
)

// ConfirmFor is how long what somebody has proved counts for acts that ask for it.
const ConfirmFor = 15 * time.Minute

// Signed is what a browser sends of a passkey.
type Signed struct {
	Ask
	Kept   string // of the challenge, by the browser
	Answer string // JSON, as WebAuthn has it
	Source string // as in a [Try]
	Device string // as in a [Try]

	Browser string // as in a [Try]
}

func (s Signed) try() Try {
	how := staff.ByPasskey
	if s.For == AfterPassword {
		how = staff.ByPasswordAndPasskey
	}
	return Try{Account: Account{Tenant: s.Tenant}, How: how, Source: s.Source, Device: s.Device, Browser: s.Browser}
}

// SignInByPasskey begins a session of whoever's passkey has signed, or returns
// [ErrPasskey].
func (d Door) SignInByPasskey(ctx context.Context, s Signed) (SignedIn, error) {
	h, err := d.proveByPasskey(ctx, s)
	if err != nil {
		return SignedIn{}, err
	}
	return d.Admit(ctx, s.try(), h)
}

// ConfirmByPasskey notes that whoever has the session has proved who they are, or
// returns [ErrPasskey].
func (d Door) ConfirmByPasskey(ctx context.Context, s Signed, session Session) error {
	h, err := d.proveByPasskey(ctx, s)
	if err != nil {
		return err
	}
	if h.Staff != session.Staff {
		return ErrPasskey
	}
	return d.Sessions.Confirm(ctx, s.Tenant, session.Token)
}

// proveByPasskey returns whose passkey it is. A source gets only so many wrong, whoever's
// they are said to be.
func (d Door) proveByPasskey(ctx context.Context, s Signed) (h Holder, err error) {
	err = d.Guesses.Try(s.Source, s.Tenant, ErrPasskey, func() (err error) {
		h, err = d.Passkeys.Check(ctx, s.Ask, s.Kept, s.Answer)
		if errors.Is(err, ErrPasskey) {
			tried := s.try().attempt()
			tried.Staff = h.Staff
			d.Journal.Failed(ctx, tried)
		}
		return err
	})
	return h, err
}

// Confirm notes that whoever has the session has proved who they are by their password,
// and returns their browser's new token. It returns [ErrRefused] or [ErrBusy]. A password
// proves nothing of somebody who has a passkey.
func (d Door) Confirm(ctx context.Context, t Try, session Session) (device string, err error) {
	h, err := d.Prove(ctx, t)
	if err != nil {
		return "", err
	}
	passkeys, err := d.Passkeys.Of(ctx, t.Tenant, h.Staff)
	if err != nil {
		return "", err
	}
	if len(passkeys) > 0 || h.Staff != session.Staff {
		return "", ErrRefused
	}
	if device, err = d.Devices.Renew(ctx, t, h); err != nil { // a known browser has its tries back
		return "", err
	}
	return device, d.Sessions.Confirm(ctx, t.Tenant, session.Token)
}
