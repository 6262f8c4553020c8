package bearer

import (
	"context"
	"fmt"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Rights looks up what the application of a token may do. It answers for
// unknown applications too; an error means that it could not look.
type Rights interface {
	Rights(ctx context.Context, claim projections.Claim, now time.Time) (projections.Rights, error)
}

// Operation is what a call asks for.
type Operation struct {
	Endpoint     application.Endpoint
	NamesPatient bool // its input names a patient, whom a patient-scoped authorisation can cover (D12)
}

// Authenticator finds out who is calling and whether they may (§5, D1 steps 2
// to 5). Its zero value lacks everything but Limit.
type Authenticator struct {
	Rights Rights
	Keys   *KeyCache
	// Limit refuses an application that calls too often; nil for no limit. It
	// is asked once the signature holds, so that nobody spends another's
	// allowance. Its error is passed on as it is.
	Limit func(application.ID) error
	Now   func() time.Time
}

// Authenticate judges a call by the values of its Authorization headers, the
// tenant that it addresses and the operation that it asks for.
//
// A refusal is a [*Refusal], or what Limit returned; any other error means
// that the call could not be judged. The Caller counts beside an error, too:
// once the signature holds, it says who was refused, for the access record
// (D37). Before that it is the zero Caller, recognised by its zero
// Application, and nothing is known of anybody (D3).
//
// The patient of a call that names one is not judged here but by
// [commands.Caller.CheckPatient].
func (a *Authenticator) Authenticate(ctx context.Context, authorisation []string, tenant string, op Operation) (commands.Caller, error) {
	now := a.Now()
	token, err := parse(authorisation, now)
	if err != nil {
		return commands.Caller{}, err
	}
	rights, claim, err := a.lookUp(ctx, token, tenant, op.Endpoint, now)
	if err != nil {
		return commands.Caller{}, err
	}
	if err := a.prove(ctx, token, rights.JWKSURL); err != nil {
		return commands.Caller{}, err
	}
	proven := callerOf(token, claim, rights)
	if a.Limit != nil {
		if err := a.Limit(proven.Application); err != nil {
			return proven, err
		}
	}
	return Admit(proven, rights, op)
}

// parse makes every check that needs neither a query nor a key.
func parse(authorisation []string, now time.Time) (Token, error) {
	token, err := credentials(authorisation)
	if err != nil {
		return Token{}, err
	}
	return Parse(token, now)
}

// lookUp asks once for everything about the token's application, which must
// be known (D11).
func (a *Authenticator) lookUp(ctx context.Context, token Token, tenant string, endpoint application.Endpoint, now time.Time) (projections.Rights, projections.Claim, error) {
	id, err := token.application()
	if err != nil {
		return projections.Rights{}, projections.Claim{}, err
	}
	claim := projections.Claim{
		Tenant:      tenant,
		Application: id,
		Username:    token.Username(),
		Endpoint:    endpoint,
		Mode:        token.Mode(),
	}
	rights, err := a.Rights.Rights(ctx, claim, now)
	switch {
	case err != nil:
		return rights, claim, fmt.Errorf("look up the application's rights: %w", err)
	case !rights.Known:
		return rights, claim, errUnknownApplication
	}
	return rights, claim, nil
}

// prove checks the signature with the application's own keys.
func (a *Authenticator) prove(ctx context.Context, token Token, url string) error {
	keys, err := a.Keys.Get(ctx, url)
	if err != nil {
		return fmt.Errorf("get the application's keys: %w", err)
	}
	return token.Verify(keys)
}

// callerOf is who a verified token proves to be calling, and whom it names.
func callerOf(token Token, claim projections.Claim, rights projections.Rights) commands.Caller {
	caller := commands.Caller{
		Tenant:      claim.Tenant,
		Application: claim.Application,
		Mode:        claim.Mode,
		Act:         token.Act,
		TokenHash:   token.Hash,
		Username:    claim.Username,
	}
	if caller.Mode == application.UserRestricted {
		caller.Staff = rights.Staff
	}
	return caller
}
