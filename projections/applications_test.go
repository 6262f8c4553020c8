package projections_test

import (
	"testing"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections/projectionstest"
)

var (
	referrals, diary = projectionstest.Referrals, projectionstest.Diary

	keysURL   = "https://app.example/jwks"
	submitApp = application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	submitFor = application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.UserRestricted}
)

const (
	referralsRow = `{"application": "0190c7a2-0000-7000-8000-000000000011", "name": "Referrals", "jwks_url": "https://app.example/jwks", "patient_scoped": false}`
	diaryRow     = `{"application": "0190c7a2-0000-7000-8000-000000000012", "name": "Diary", "jwks_url": "https://diary.example/", "patient_scoped": false}`
	grantRow     = `{"application": "0190c7a2-0000-7000-8000-000000000011", "endpoint": "create-patient-request", "mode": "application-restricted"}`
	grantForRow  = `{"application": "0190c7a2-0000-7000-8000-000000000011", "endpoint": "create-patient-request", "mode": "user-restricted"}`
	callbackRow  = `{"application": "0190c7a2-0000-7000-8000-000000000011", "callback": "https://app.example/done"}`
)

// registered is a day on which two applications are registered.
func registered(t *testing.T) *day {
	t.Helper()
	d := newDay(t)
	d.Happens(t, application.StreamOf(referrals), application.Registered{Name: "Referrals", JWKSURL: keysURL})
	d.Happens(t, application.StreamOf(diary), application.Registered{Name: "Diary", JWKSURL: "https://diary.example/"})
	return d
}

func TestApplicationRowsAreCurrent_5_6(t *testing.T) {
	t.Parallel()
	d := registered(t)
	stream := application.StreamOf(referrals)
	d.wantTable(t, "applications", referralsRow, diaryRow)

	d.Happens(t, stream, application.JWKSURLSet{JWKSURL: "https://new.example/"}, application.PatientScopedMarked{})
	d.wantTable(t, "applications", diaryRow,
		`{"application": "0190c7a2-0000-7000-8000-000000000011", "name": "Referrals", "jwks_url": "https://new.example/", "patient_scoped": true}`)
	d.Happens(t, stream, application.PatientScopedUnmarked{}, application.JWKSURLSet{JWKSURL: keysURL})
	d.wantTable(t, "applications", referralsRow, diaryRow)
}

func TestCallbacksAndGrantsComeAndGoOneByOne_5_6(t *testing.T) {
	t.Parallel()
	d := registered(t)
	stream := application.StreamOf(referrals)
	done, custom := application.CallbackAdded{Callback: "https://app.example/done"}, application.CallbackAdded{Callback: "referrals:/done"}

	d.Happens(t, stream, done, custom, application.EndpointGranted{Grant: submitApp}, application.EndpointGranted{Grant: submitFor})
	d.wantTable(t, "application_callbacks", callbackRow,
		`{"application": "0190c7a2-0000-7000-8000-000000000011", "callback": "referrals:/done"}`)
	d.wantTable(t, "endpoint_grants", grantRow, grantForRow)

	d.Happens(t, stream, application.CallbackRemoved(custom), application.EndpointRevoked{Grant: submitFor})
	d.wantTable(t, "application_callbacks", callbackRow)
	d.wantTable(t, "endpoint_grants", grantRow)
}

// Kinds of event that an application receives at one address have one destination.
// Another address, or another application, has another.
func TestWebhookDestinations(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	const here, there = "https://app.example/here", "https://app.example/there"
	set := func(kind application.WebhookEvent, url string) event.Event {
		return application.WebhookSet{Event: kind, URL: url}
	}
	one, other := application.ID{UUID: event.NewID()}, application.ID{UUID: event.NewID()}
	d.happened(t.Context(), t, "", one.UUID, 0, set(application.RecordOpened, here), set(application.CallInShown, here), set(application.ConsultationStarted, there))
	d.happened(t.Context(), t, "", other.UUID, 0, set(application.RecordOpened, here))
	for want, where := range map[int]string{
		1: `application = $1 AND url = '` + here + `'`,
		2: `application = $1`,
		3: `$1::uuid IS NOT NULL`,
	} {
		var n int
		projectionstest.Must(t, d.Pool.QueryRow(t.Context(), `SELECT count(DISTINCT destination) FROM webhooks WHERE `+where, one).Scan(&n))
		if n != want {
			t.Errorf("%d destinations where %s, want %d", n, where, want)
		}
	}
}
