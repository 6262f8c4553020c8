package app

import (
	"context"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// api is the Transactional API over this app's commands.
func (a *App) api() *httpapi.API {
	authenticator := &bearer.Authenticator{
		Rights: projections.Judge{DB: a.calls}, Keys: a.keys, Now: a.config.Now,
	}
	if a.config.RateLimit > 0 {
		authenticator.Limit = httpapi.NewRateLimit(a.config.RateLimit, a.config.Now).Allow
	}
	return &httpapi.API{
		Domain:        a.config.APIDomain,
		DefaultTenant: a.config.DefaultTenant,
		Authenticate: func(ctx context.Context, authorization []string, tenant string, endpoint application.Endpoint) (commands.Caller, error) {
			operation := bearer.Operation{Endpoint: endpoint, NamesPatient: endpoint.NamesPatient()}
			caller, err := authenticator.Authenticate(ctx, authorization, tenant, operation)
			return caller, postgres.Fault(err)
		},
		SubmitPatientRequest: func(ctx context.Context, c commands.SubmitPatientRequest) (request.ID, error) {
			id, err := a.SubmitPatientRequest.Handle(ctx, c)
			return id, postgres.Fault(err)
		},
		Uploads:  a.Uploads,
		Clinical: a.clinical(),
		RequestTypes: func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
			types, err := projections.Availability{DB: a.calls}.RequestTypes(ctx, tenant, now)
			return types, postgres.Fault(err)
		},
		SigningKeys: a.keySet(),
		Record:      a.recorder.Record,

		InFlight: a.config.CallsInFlight,
		Limit:    a.config.CallLimit,
		Now:      a.config.Now,
		Metrics:  httpapi.NewMetrics(a.registry),
		Log:      a.config.Log,
	}
}
