package bearer

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/access"
)

// Rights looks up what the application of a token may do. An application that is
// not registered has rights that are not Known. An error means that the rights
// could not be looked up.
type Rights interface {
	Rights(ctx context.Context, claim access.Claim, now time.Time) (access.Rights, error)
}

// Authenticator finds out who is calling. All its fields are needed.
type Authenticator struct {
	Rights Rights
	Keys   *KeyCache
	Now    func() time.Time
}

// Authenticate proves who makes a call to an endpoint, by the values of its
// Authorization headers. The Caller carries the rights by which [access.Judge]
// decides whether they may make it.
//
// A refusal is a [*Refusal]. Any other error means that it could not be found out
// who is calling. If there is an error, the Caller is empty, because nothing that
// an unproven token says may be recorded (D3).
func (a *Authenticator) Authenticate(ctx context.Context, authorisation []string, tenant string, endpoint access.Endpoint) (access.Caller, error) {
	now := a.Now()
	token, err := parse(authorisation, now)
	if err != nil {
		return access.Caller{}, err
	}
	claim, err := token.claim(tenant, endpoint)
	if err != nil {
		return access.Caller{}, err
	}
	rights, err := a.Rights.Rights(ctx, claim, now)
	if err != nil {
		return access.Caller{}, fmt.Errorf("look up the application's rights: %w", err)
	}
	if !rights.Known {
		return access.Caller{}, errUnknownApplication
	}
	keys, err := a.Keys.Get(ctx, rights.JWKSURL)
	if err != nil {
		return access.Caller{}, fmt.Errorf("get the application's keys: %w", err)
	}
	if err := token.Verify(keys); err != nil {
		return access.Caller{}, err
	}
	return access.Caller{Claim: claim, Rights: rights, Act: token.Act, TokenHash: token.Hash}, nil
}

// parse makes every check that needs no query and no key.
func parse(authorisation []string, now time.Time) (Token, error) {
	token, err := credentials(authorisation)
	if err != nil {
		return Token{}, err
	}
	return Parse(token, now)
}

// claim returns what the token claims if it is used to call an endpoint of a
// tenant.
func (t Token) claim(tenant string, endpoint access.Endpoint) (access.Claim, error) {
	id, err := t.application()
	return access.Claim{
		Tenant: tenant, Application: id, Mode: t.Mode(), Username: t.Username(), Endpoint: endpoint,
	}, err
}

// Explain judges the values of a call's Authorization headers as
// [Authenticator.Authenticate] does, but without the service. It does not judge
// whether the application is registered and what it may do. It calls keys for the
// application's key set once it needs it, and returns its error. If keys is nil,
// it does not judge the signature.
//
// A refusal is a [*Refusal] with the same words as the service's.
func Explain(authorisation []string, keys func() (KeySet, error), now time.Time) (Token, error) {
	token, err := parse(authorisation, now)
	if err != nil {
		return Token{}, err
	}
	if _, err := token.application(); err != nil {
		return Token{}, err
	}
	if keys == nil {
		return token, nil
	}
	set, err := keys()
	if err != nil {
		return Token{}, err
	}
	if err := token.Verify(set); err != nil {
		return Token{}, err
	}
	return token, nil
}
