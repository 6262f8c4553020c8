package bearer

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/access"
)

// Rights looks up the rights of a token's application. For an unregistered application
// they are not Known. An error means that the lookup failed.
type Rights interface {
	Rights(ctx context.Context, claim access.Claim, now time.Time) (access.Rights, error)
}

// Authenticator authenticates callers. All its fields except Unproven are needed.
type Authenticator struct {
	Rights  Rights
	Keys    *KeyCache
	Now     func() time.Time // the practice's clock, for authorisations
	RealNow func() time.Time // the applications' clock, for tokens

	Unproven *Unproven // stores refused calls; nil stores none
}

// Recognise reads the claim of a call to an endpoint from its Authorization headers. It
// makes every check that needs no key, and the one query of rights. Then prove makes
// the others: it gets the application's key set, for which it may wait 10 s, and
// verifies the signature.
//
// The Caller of prove carries the rights for [access.Judge], as Recognise read them.
// There is no Caller before, because nothing from an unproven token may be recorded
// (D3).
//
// In both steps, a refusal is a [*Refusal]. Any other error means that the caller could
// not be determined.
func (a *Authenticator) Recognise(ctx context.Context, authorisation []string, tenant string, endpoint access.Endpoint) (prove func(context.Context) (access.Caller, error), err error) {
	of := attempt{authorisation, tenant, endpoint}
	token, caller, err := a.claimed(ctx, of)
	if err != nil {
		return nil, a.Unproven.refused(ctx, of, token, false, err)
	}
	return func(ctx context.Context) (access.Caller, error) {
		if err := a.verify(ctx, token, caller.JWKSURL, RereadMark{caller.Application, caller.KeySetReread}); err != nil {
			return access.Caller{}, a.Unproven.refused(ctx, of, token, true, err)
		}
		a.Unproven.proven(caller.Application)
		return caller, nil
	}, nil
}

// claimed returns the token of an attempt, and the caller that it claims.
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
func (a *Authenticator) verify(ctx context.Context, token Token, jwksURL string, mark RereadMark) error {
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

// claim returns the claim of the token for an endpoint of a tenant.
func (t Token) claim(tenant string, endpoint access.Endpoint) (access.Claim, error) {
	id, err := t.application()
	return access.Claim{
		Tenant: tenant, Application: id, Mode: t.Mode(), Username: t.Username(), Endpoint: endpoint,
	}, err
}

// Explain checks the values of a call's Authorization headers as
// [Authenticator.Recognise] and its prove do, but without the service. It does not
// check the application's registration or rights. It calls keys for the application's
// key set when it needs it, and returns its error. If keys is nil, it does not check
// the signature.
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
