package app

import (
	"context"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// api is the Transactional API over this app's desk.
func (a *App) api() *httpapi.API {
	authenticator := &bearer.Authenticator{Rights: projections.Rights{DB: a.calls}, Keys: a.keys, Now: a.config.Now}
	api := &httpapi.API{
		Domain:        a.config.APIDomain,
		DefaultTenant: a.config.DefaultTenant,
		Authenticate: func(ctx context.Context, authorization []string, tenant string, endpoint access.Endpoint) (access.Caller, error) {
			caller, err := authenticator.Authenticate(ctx, authorization, tenant, endpoint)
			return caller, postgres.Fault(err)
		},
		RecordOpenTo: func(ctx context.Context, tenant string, id patient.ID, member staff.ID) (bool, error) {
			open, err := projections.Patients{DB: a.calls}.RecordOpenTo(ctx, tenant, id, member)
			return open, postgres.Fault(err)
		},
		Desk:    a.Desk,
		Uploads: a.Uploads,
		RequestTypes: func(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
			types, err := projections.Availability{DB: a.calls}.RequestTypes(ctx, tenant, now)
			return types, postgres.Fault(err)
		},
		CareRecord: func(ctx context.Context, tenant string, id patient.ID) (projections.CareRecord, error) {
			found, err := projections.CareRecords{DB: a.calls, Codec: a.codec}.Of(ctx, tenant, id)
			return found, postgres.Fault(err)
		},
		SigningKeys: a.keySet(),
		Record:      a.recorder.Record,

		InFlight: a.config.CallsInFlight,
		Limit:    a.config.CallLimit,
		Now:      a.config.Now,
		Metrics:  httpapi.NewMetrics(a.registry),
		Log:      a.config.Log,
	}
	if a.config.RateLimit > 0 {
		api.Allow = httpapi.NewRateLimit(a.config.RateLimit, a.config.Now).Allow
	}
	return api
}
