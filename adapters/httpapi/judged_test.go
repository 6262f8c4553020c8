package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// clerk is an API that records its calls.
type clerk struct {
	*commandtest.Store
	caller  access.Caller
	refusal error // of the token
	broken  error // of the store
	calls   []access.Call
}

var errBug = errors.New("a bug")

// Append fails, or panics because of errBug, when the clerk is broken.
func (c *clerk) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	if errors.Is(c.broken, errBug) {
		panic(c.broken)
	}
	if c.broken != nil {
		return nil, c.broken
	}
	return c.Store.Append(ctx, changes...)
}

var provenApp = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000011")}

// proven is a caller with a verified signature.
func proven(caller access.Caller) access.Caller {
	caller.Application, caller.TokenHash = provenApp, [32]byte{7}
	return caller
}

func (c *clerk) api() *httpapi.API {
	day := (&desk{caller: c.caller}).api(c.Store)
	day.DefaultTenant, day.Desk.Store, day.Uploads = "", c, &httpapitest.Shelf{}
	day.Record = func(call access.Call) { c.calls = append(c.calls, call) }
	day.Permits, day.Now = oneByOne, atWritten
	if c.refusal != nil {
		day.Recognise = refuses(c.refusal)
	}
	return day
}

// call is one call and its X-Request-Id.
func (c *clerk) call(t *testing.T, method, path, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://elm-street.frontdesk.example/transactional-api"+path, strings.NewReader(body))
	answer := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }() // as the server does
		c.api().Handler().ServeHTTP(answer, r)
	}()
	return answer.Header().Get("X-Request-Id")
}

func TestEveryJudgedCallIsRecorded_D37(t *testing.T) {
	t.Parallel()
	forItself, forUser, forAnn := proven(asApplication), proven(asUser), proven(asUserForAnn)
	forItself.Act = &event.OnBehalfOf{Organisation: event.Organisation{Name: "Elm Street"}}
	notEnabled := forUser
	notEnabled.Enabled = false
	tired := errors.New("disk full")
	note := `{"patientId":"` + strings.ToUpper(annID) + `","note":"a cough"}`

	for name, test := range map[string]struct {
		caller             access.Caller
		broken             error
		method, path, body string
		want               access.Call // the fields that do not come from the caller
	}{
		"allowed": {forItself, nil, "GET", "/ping", "", access.Call{Endpoint: "ping", Status: 200}},
		"refused": {notEnabled, nil, "GET", "/ping", "",
			access.Call{Endpoint: "ping", Status: 403, Code: "unauthorized", Reason: "The app has not been granted access to this tenant"}},
		"a patient in the body": {forItself, nil, "POST", "/create-note", note,
			access.Call{Endpoint: "create-note", Patient: ann, Status: 200}},
		"a patient in the query": {forUser, tired, "GET", "/retrieve-care-record?patientId=" + annID, "",
			access.Call{Endpoint: "retrieve-care-record", Patient: ann, Status: 500, Code: "internal-error",
				Reason: "Something went wrong on our side. Quote the X-Request-Id when you report it."}},
		"a patient beyond the scope": {forAnn, nil, "POST", "/create-note", `{"patientId":"` + billID + `","note":"a cough"}`,
			access.Call{Endpoint: "create-note", Patient: patient.ID{UUID: uuid.MustParse(billID)}, Status: 403, Code: "patient-not-authorised",
				Reason: "The app is not currently authorised to request as the specified user for this patient"}},
		"no patient": {forItself, nil, "POST", "/create-note", `{"patientId":"ann","note":" "}`,
			access.Call{Endpoint: "create-note", Status: 400, Code: "invalid-patient-id", Reason: "patientId must be a UUID of 36 characters.",
				Further: []access.Problem{{Code: "empty-note", Reason: "note must be given and must not be blank."}}}},
		"the service's own fault": {forItself, tired, "POST", "/open-care-record", note,
			access.Call{Endpoint: "open-care-record", Patient: ann, Status: 500, Code: "internal-error",
				Reason: "Something went wrong on our side. Quote the X-Request-Id when you report it."}},
		"time that ran out": {forItself, fmt.Errorf("append: %w", context.DeadlineExceeded), "POST", "/open-care-record", note,
			access.Call{Endpoint: "open-care-record", Patient: ann, Status: 503, Code: "unavailable", Reason: body.ErrBusy.Detail}},
		"a panic": {forItself, errBug, "POST", "/open-care-record", note,
			access.Call{Endpoint: "open-care-record", Patient: ann, Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clerk{Store: practiceDay(t), caller: test.caller, broken: test.broken}
			id := c.call(t, test.method, test.path, test.body)
			want := test.want
			want.RequestID, want.At, want.Tenant, want.Application = uuid.MustParse(id), written, "elm-street", provenApp
			want.Mode, want.Staff, want.Act, want.TokenHash = test.caller.Mode, test.caller.Staff, test.caller.Act, event.Digest{7}
			if diff := cmp.Diff([]access.Call{want}, c.calls); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallersHaveSeparateAllowances_D1(t *testing.T) {
	t.Parallel()
	calls := admission.NewRateLimiter[application.ID](1, time.Hour, atWritten)
	ping := func(c *clerk) *httptest.ResponseRecorder {
		api := c.api()
		api.Calls = calls
		answer := httptest.NewRecorder()
		api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://elm-street.frontdesk.example/transactional-api/ping", http.NoBody))
		return answer
	}
	forged := &clerk{Store: practiceDay(t), refusal: fault.New(fault.Forbidden, "unauthorized", "Invalid JWT: no key with this kid")}
	for range 3 {
		if answer := ping(forged); answer.Code != http.StatusForbidden || len(forged.calls) > 0 {
			t.Errorf("a forged token is answered %d and is recorded as %v", answer.Code, forged.calls)
		}
	}
	disabled := proven(asApplication)
	disabled.Enabled = false // would be the next refusal
	own := &clerk{Store: practiceDay(t), caller: disabled}
	wantAnswer(t, ping(own), http.StatusForbidden, "unauthorized")
	refused := ping(own)
	wantAnswer(t, refused, http.StatusTooManyRequests, "rate-limited")
	wantErrors(t, refused, "rate-limited: The application has made too many calls. Try again later.")
	if got := refused.Header().Get("Retry-After"); got != "3600" {
		t.Errorf("Retry-After: %s", got)
	}
	if len(own.calls) != 2 || own.calls[1].Application != provenApp || own.calls[1].Code != "rate-limited" {
		t.Errorf("a call too many is recorded as %+v", own.calls)
	}
	other := proven(asApplication)
	other.Application = named("other")
	wantAnswer(t, ping(&clerk{Store: practiceDay(t), caller: other}), http.StatusOK)
}

func TestUnreadRestrictionOpensNothing_D17(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, "/create-note", `{"patientId":"` + annID + `","note":"a cough"}`},
		{http.MethodPost, "/open-care-record", `{"patientId":"` + annID + `"}`},
		{http.MethodGet, "/retrieve-care-record?patientId=" + annID, ""},
	} {
		desk := &clerk{Store: practiceDay(t), caller: proven(asUser)}
		before, read := len(desk.Log()), false
		api := desk.api()
		api.RecordOpenTo = func(context.Context, string, patient.ID, staff.ID) (bool, error) {
			return true, errors.New("the database is away")
		}
		api.CareRecord = func(context.Context, string, patient.ID, bool) (projections.CareRecord, error) {
			read = true
			return projections.CareRecord{}, nil
		}
		answer := httptest.NewRecorder()
		api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), c.method,
			"http://elm-street.frontdesk.example/transactional-api"+c.path, strings.NewReader(c.body)))
		if answer.Code != http.StatusInternalServerError || read || len(desk.Log()) > before {
			t.Errorf("%s is answered %d; read: %t; appended: %v", c.path, answer.Code, read, desk.Log()[before:])
		}
	}
}

// A patient that the endpoint does not use is not recorded.
func TestUnrelatedPatientIsNotRecorded_D37(t *testing.T) {
	t.Parallel()
	c := &clerk{Store: practiceDay(t), caller: proven(asApplication)}
	c.call(t, http.MethodPost, "/clear-call-in", `{"appointmentId":"`+appointmentID+`","patientId":"`+annID+`"}`)
	if len(c.calls) != 1 || c.calls[0].Status != http.StatusOK || c.calls[0].Patient != (patient.ID{}) {
		t.Errorf("recorded as %+v", c.calls)
	}
}

func TestUnprovenCallIsNotRecorded_D3(t *testing.T) {
	t.Parallel()
	forged := fault.New(fault.Forbidden, "unauthorized", "Invalid JWT: the signature check failed for the key that kid names")
	c := &clerk{Store: practiceDay(t), refusal: forged}
	c.call(t, http.MethodGet, "/ping", "")
	c = &clerk{Store: practiceDay(t), caller: proven(asApplication), calls: c.calls}
	c.call(t, http.MethodGet, "/nowhere", "")
	c.call(t, http.MethodDelete, "/ping", "")
	c.call(t, http.MethodGet, "/openapi.json", "")
	if len(c.calls) > 0 {
		t.Errorf("recorded %+v", c.calls)
	}
}

// A new endpoint must record the patient of its calls.
func TestPatientOfCallIsRecorded_D37(t *testing.T) {
	t.Parallel()
	for _, endpoint := range access.Endpoints() {
		if !endpoint.NamesPatient {
			continue
		}
		c := &clerk{Store: practiceDay(t), caller: proven(asApplication), broken: errors.New("disk full")}
		c.call(t, http.MethodPost, "/"+string(endpoint.Name), `{"patientId":"`+annID+`"}`)
		c.call(t, http.MethodGet, "/"+string(endpoint.Name)+"?patientId="+annID, "") // one of the two is not allowed
		if len(c.calls) != 1 || c.calls[0].Patient != ann || c.calls[0].Endpoint != endpoint.Name {
			t.Errorf("%s is recorded as %+v", endpoint.Name, c.calls)
		}
	}
}

// A body with thousands of faults does not fill the access record.
func TestRecordedRefusalsAreBounded_D146(t *testing.T) {
	t.Parallel()
	c := &clerk{Store: practiceDay(t), caller: proven(mayAll(application.ApplicationRestricted, access.Rights{}))}
	items := strings.Repeat(`{"question":"x","answer":"y"},`, 2000)
	c.call(t, http.MethodPost, "/create-patient-request", `{"patientId":"`+annID+`","requestType":"medical","requester":"patient","response":[`+strings.TrimSuffix(items, ",")+`]}`)
	if len(c.calls) != 1 || c.calls[0].Code != "invalid-question" || len(c.calls[0].Further) != 49 {
		t.Errorf("recorded are %d calls, %d further refusals", len(c.calls), len(c.calls[0].Further))
	}
}
