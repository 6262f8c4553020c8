package bearer

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/access"
)

// Rights looks up what the application of a token may do. It answers for
// unknown applications too; an error means that it could not look.
type Rights interface {
	Rights(ctx context.Context, claim access.Claim, now time.Time) (access.Rights, error)
}

// Authenticator finds out who is calling (§5, D1 steps 2 to 4). It needs all
// its fields.
type Authenticator struct {
	Rights Rights
	Keys   *KeyCache
	Now    func() time.Time
}

// Authenticate proves who makes a call to an endpoint, by the values of its
// Authorization headers. Whether they may is [access.Judge]'s to say: the
// Caller has the rights that it asks about.
//
// A refusal is a [*Refusal]; any other error means that the caller could not
// be found out. Beside an error nothing is known of anybody (D3).
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

// parse makes every check that needs neither a query nor a key.
func parse(authorisation []string, now time.Time) (Token, error) {
	token, err := credentials(authorisation)
	if err != nil {
		return Token{}, err
	}
	return Parse(token, now)
}

// claim is what a token claims when it calls an endpoint of a tenant.
func (t Token) claim(tenant string, endpoint access.Endpoint) (access.Claim, error) {
	id, err := t.application()
	return access.Claim{
		Tenant: tenant, Application: id, Mode: t.Mode(), Username: t.Username(), Endpoint: endpoint,
	}, err
}

// Explain judges a call by the values of its Authorization headers as
// [Authenticator.Authenticate] does, as far as that can be done without the
// service: whether the application is registered and what it may do is not
// judged. keys is asked for the application's key set, once that is needed,
// and its error is passed on; a nil keys leaves the signature unjudged.
//
// A refusal is a [*Refusal], word for word the service's own.
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
	if err == nil {
		err = token.Verify(set)
	}
	if err != nil {
		return Token{}, err
	}
	return token, nil
}
