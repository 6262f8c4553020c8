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

// Authenticator finds out who is calling. All its fields but Unproven are needed.
type Authenticator struct {
	Rights  Rights
	Keys    *KeyCache
	Now     func() time.Time // the practice's clock, by which authorisations hold
	RealNow func() time.Time // the clock of the applications, by which tokens hold

	Unproven *Unproven // remembers who was refused; nil remembers nobody
}

// Recognise finds out as whom a call to an endpoint comes, by the values of its
// Authorization headers. It makes every check that needs no key and the one query
// of rights. Then prove makes the rest: it gets the application's key set, for which
// it may wait 10 s, and verifies the signature.
//
// The Caller of prove carries the rights by which [access.Judge] decides whether
// they may make the call. They are as Recognise found them. Nobody is given a
// Caller before, because nothing that an unproven token says may be recorded (D3).
//
// In both steps, a refusal is a [*Refusal]. Any other error means that it could
// not be found out who is calling.
func (a *Authenticator) Recognise(ctx context.Context, authorisation []string, tenant string, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error) {
	of := attempt{authorisation, tenant, endpoint}
	token, caller, err := a.claimed(ctx, of)
	if err != nil {
		return nil, a.Unproven.refused(ctx, of, token, false, err)
	}
	return func(ctx context.Context) (access.Caller, error) {
		if err := a.verify(ctx, token, caller.JWKSURL, Mark{caller.Application, caller.KeySetReread}); err != nil {
			return access.Caller{}, a.Unproven.refused(ctx, of, token, true, err)
		}
		a.Unproven.proven(caller.Application)
		return caller, nil
	}, nil
}

// claimed returns the token of an attempt, and who makes it if it holds.
func (a *Authenticator) claimed(ctx context.Context, of attempt) (token Token, caller access.Caller, err error) {
	if token, err = parse(of.authorisation, a.RealNow()); err != nil {
		return token, caller, err
	}
	claim, err := token.claim(of.tenant, of.endpoint)
	if err != nil {
		return token, caller, err
	}
	rights, err := a.Rights.Rights(ctx, claim, a.Now())
	if err != nil {
		return token, caller, fmt.Errorf("look up the application's rights: %w", err)
	}
	if !rights.Known {
		return token, caller, errUnknownApplication
	}
	return token, access.Caller{Claim: claim, Rights: rights, Act: token.Act, TokenHash: token.Hash}, nil
}

// verify checks the token's signature with the application's key set.
func (a *Authenticator) verify(ctx context.Context, token Token, jwksURL string, mark Mark) error {
	keys, err := a.Keys.GetFor(ctx, jwksURL, mark)
	if err != nil {
		return fmt.Errorf("get the application's keys: %w", err)
	}
	return token.Verify(keys)
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
// [Authenticator.Recognise] and its prove do, but without the service. It does not judge
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
