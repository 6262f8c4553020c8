package applications_test

import (
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/projections/projectionstest"
)

// day is a practice's database.
type day struct{ *projectionstest.Day }

const elm, oak = projectionstest.Elm, projectionstest.Oak

const keysURL = "https://app.example/jwks"

var (
	noon = projectionstest.Noon

	ann, bill        = projectionstest.Ann, projectionstest.Bill
	lee, kim         = projectionstest.Lee, projectionstest.Kim
	referrals, diary = projectionstest.Referrals, projectionstest.Diary

	submitApp = application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	submitFor = application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.UserRestricted}
)

// registered is a day on which two applications are registered.
func registered(t *testing.T) *day {
	t.Helper()
	d := &day{projectionstest.New(t)}
	d.Happens(t, application.StreamOf(referrals), application.Registered{Name: "Referrals", JWKSURL: keysURL})
	d.Happens(t, application.StreamOf(diary), application.Registered{Name: "Diary", JWKSURL: "https://diary.example/"})
	return d
}

// enabled is a day on which both practices have enabled the first application.
func enabled(t *testing.T) *day {
	t.Helper()
	d := registered(t)
	d.Happens(t, application.StreamOf(referrals), application.EndpointGranted{Grant: submitFor},
		application.WebhookSet{Event: application.CallInShown, URL: "https://b.example/"})
	d.Happens(t, practice.StreamOf(elm), practice.Registered{Name: elm, TimeZone: "Asia/Kathmandu"})
	for _, tenant := range []string{elm, oak} {
		d.Happens(t, practice.EnablementStream(tenant, referrals), practice.ApplicationEnabled{Application: referrals})
	}
	return d
}

// grant gives an application an authorisation of a member of staff.
func (d *day) grant(t *testing.T, tenant string, s authorisation.Subject, until time.Time) {
	t.Helper()
	d.Happens(t, authorisation.StreamOf(tenant, s), authorisation.Granted{Subject: s, ExpiresAt: until})
}

// call is a line of the access record, at an interval after noon.
func (d *day) call(t *testing.T, tenant string, app application.ID, after time.Duration, status int) {
	t.Helper()
	at := noon.Add(after)
	projectionstest.Exec(t, d.Pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, token_hash)
		VALUES ($1, $2, $3, $4, 'user-restricted', $5, 'create-note', $6, '', 'why', '')`, lowest(at), at, tenant, app, lee, status)
}

// busy adds so many calls of the minute after noon.
func (d *day) busy(t *testing.T, tenant string, app application.ID, calls int) {
	t.Helper()
	ids := make([][16]byte, calls)
	for n := range ids {
		ids[n] = lowest(noon.Add(time.Second))
	}
	projectionstest.Exec(t, d.Pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
		SELECT id, $2, $3, $4, 'application-restricted', 'create-note', 200, '', '', '' FROM unnest($1::uuid[]) id`, ids, noon.Add(time.Second), tenant, app)
}

// deliver adds a delivery of an event at an interval after noon.
func (d *day) deliver(t *testing.T, tenant string, after time.Duration, status, reason string) {
	t.Helper()
	at := noon.Add(after)
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, reason)
		VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4, $5, nullif($6, ''))`, lowest(at), referrals, tenant, at, status, reason)
}

// lowest is an identifier of an instant.
func lowest(at time.Time) (id [16]byte) {
	id = event.LowestID(at)
	fresh := event.NewID()
	copy(id[8:], fresh[8:])
	return id
}
