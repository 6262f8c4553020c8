package projections_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

var (
	referrals = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000011")}
	diary     = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000012")}

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
	d.happens(t, application.StreamOf(referrals), application.Registered{Name: "Referrals", JWKSURL: keysURL})
	d.happens(t, application.StreamOf(diary), application.Registered{Name: "Diary", JWKSURL: "https://diary.example/"})
	return d
}

func TestAnApplicationsRowsSayWhatHoldsNow_5_6(t *testing.T) {
	t.Parallel()
	d := registered(t)
	stream := application.StreamOf(referrals)
	d.wantTable(t, "applications", referralsRow, diaryRow)

	d.happens(t, stream, application.JWKSURLSet{JWKSURL: "https://new.example/"}, application.PatientScopedMarked{})
	d.wantTable(t, "applications", diaryRow,
		`{"application": "0190c7a2-0000-7000-8000-000000000011", "name": "Referrals", "jwks_url": "https://new.example/", "patient_scoped": true}`)
	d.happens(t, stream, application.PatientScopedUnmarked{}, application.JWKSURLSet{JWKSURL: keysURL})
	d.wantTable(t, "applications", referralsRow, diaryRow)
}

func TestCallbacksAndGrantsComeAndGoOneByOne_5_6(t *testing.T) {
	t.Parallel()
	d := registered(t)
	stream := application.StreamOf(referrals)
	done, custom := application.CallbackAdded{Callback: "https://app.example/done"}, application.CallbackAdded{Callback: "referrals:/done"}

	d.happens(t, stream, done, custom, application.EndpointGranted{Grant: submitApp}, application.EndpointGranted{Grant: submitFor})
	d.wantTable(t, "application_callbacks", callbackRow,
		`{"application": "0190c7a2-0000-7000-8000-000000000011", "callback": "referrals:/done"}`)
	d.wantTable(t, "endpoint_grants", grantRow, grantForRow)

	d.happens(t, stream, application.CallbackRemoved(custom), application.EndpointRevoked{Grant: submitFor})
	d.wantTable(t, "application_callbacks", callbackRow)
	d.wantTable(t, "endpoint_grants", grantRow)
}
