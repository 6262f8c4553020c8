package app

import (
	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/signing"
	"frontdesk/projections"
)

// api is the Transactional API over this app's desk.
func (a *App) api() *httpapi.API {
	authenticator := &bearer.Authenticator{Rights: projections.Rights{DB: a.calls}, Keys: a.keys, Now: a.config.Now}
	api := &httpapi.API{
		Domain:        a.config.APIDomain,
		DefaultTenant: a.config.DefaultTenant,
		Authenticate:  authenticator.Authenticate,
		RecordOpenTo:  projections.Patients{DB: a.calls}.RecordOpenTo,
		Desk:          a.Desk,
		Uploads:       a.Uploads,
		RequestTypes:  projections.Availability{DB: a.calls}.RequestTypes,
		CareRecord:    projections.CareRecords{DB: a.calls, Codec: a.codec}.Of,
		SigningKeys:   (&signing.KeySet{Keys: a.SigningKeys()}).Document,
		Record:        a.recorder.Record,

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
