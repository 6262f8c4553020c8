package signin

import (
	"context"
	"errors"
	"time"

	"frontdesk/domain/staff"
)

// ConfirmFor is how long a reauthentication is valid.
const ConfirmFor = 15 * time.Minute

// PasskeyResponse is a browser's answer with a passkey.
type PasskeyResponse struct {
	Ask
	Kept   string // the browser's part of the challenge
	Answer string // JSON, as in WebAuthn
	Source string // as in a [Try]
	Device string // as in a [Try]

	Browser string // as in a [Try]
}

func (s PasskeyResponse) try() Try {
	how := staff.ByPasskey
	if s.Purpose == AfterPassword {
		how = staff.ByPasswordAndPasskey
	}
	return Try{Account: Account{Tenant: s.Tenant}, How: how, Source: s.Source, Device: s.Device, Browser: s.Browser}
}

// SignInByPasskey begins a session of the passkey's owner, or returns [ErrPasskey].
func (svc Service) SignInByPasskey(ctx context.Context, s PasskeyResponse) (SignedIn, error) {
	h, err := svc.verifyPasskey(ctx, s)
	if err != nil {
		return SignedIn{}, err
	}
	return svc.BeginSession(ctx, s.try(), h)
}

// ConfirmByPasskey records the reauthentication of a session by passkey, and returns the
// session's new token. It returns [ErrPasskey] or [ErrRenewed].
func (svc Service) ConfirmByPasskey(ctx context.Context, s PasskeyResponse, session Session) (token string, err error) {
	h, err := svc.verifyPasskey(ctx, s)
	if err != nil {
		return "", err
	}
	if h.Staff != session.Staff {
		return "", ErrPasskey
	}
	return svc.Sessions.Confirm(ctx, s.Tenant, session.Token)
}

// verifyPasskey returns the passkey's owner. Wrong ones count for the source, whatever
// account they claim.
func (svc Service) verifyPasskey(ctx context.Context, s PasskeyResponse) (h Holder, err error) {
	err = svc.Guesses.Try(s.Source, s.Tenant, ErrPasskey, func() (err error) {
		h, err = svc.Passkeys.FinishLogin(ctx, s.Ask, s.Kept, s.Answer)
		if errors.Is(err, ErrPasskey) {
			tried := s.try().attempt()
			tried.Staff = h.Staff
			svc.Journal.Failed(ctx, tried)
		}
		return err
	})
	return h, err
}

// Confirm records the reauthentication of a session by password, and returns the new
// tokens of the session and the browser. It returns [ErrRefused], [ErrBusy] or
// [ErrRenewed]. A password is not accepted from a member with a passkey.
func (svc Service) Confirm(ctx context.Context, t Try, session Session) (in SignedIn, err error) {
	if in.Holder, err = svc.VerifyPassword(ctx, t); err != nil {
		return SignedIn{}, err
	}
	passkeys, err := svc.Passkeys.List(ctx, t.Tenant, in.Staff)
	if err != nil {
		return SignedIn{}, err
	}
	if len(passkeys) > 0 || in.Staff != session.Staff {
		return SignedIn{}, ErrRefused
	}
	if in.Session, err = svc.Sessions.Confirm(ctx, t.Tenant, session.Token); err != nil {
		return SignedIn{}, err
	}
	in.Device, err = svc.Devices.Renew(ctx, t, in.Holder) // a known browser gets its attempts back
	return in, err
}
