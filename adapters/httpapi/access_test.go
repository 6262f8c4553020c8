package httpapi_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// clerk is an API that writes its calls down.
type clerk struct {
	desk
	refusal error // of the caller
	broken  error // of what the caller asks for
	calls   []access.Call
}

var (
	provenApp = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000011")}
	provenFor = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}
)

// proven is a caller whose signature held.
func proven(mode application.Mode) commands.Caller {
	return commands.Caller{Tenant: "elm-street", Application: provenApp, Mode: mode, TokenHash: [32]byte{7}}
}

func (c *clerk) api() *httpapi.API {
	clinical := c.clinical()
	clinical.OpenCareRecord = func(context.Context, commands.OpenCareRecord) error {
		if c.broken == nil {
			panic("a bug")
		}
		return c.broken
	}
	return &httpapi.API{
		Domain: "frontdesk.example", Clinical: clinical, Uploads: &httpapitest.Shelf{},
		Authenticate: func(context.Context, []string, string, application.Endpoint) (commands.Caller, error) {
			return c.caller, c.refusal
		},
		Record:   func(call access.Call) { c.calls = append(c.calls, call) },
		InFlight: 1, Limit: time.Minute, Now: func() time.Time { return written }, Log: slog.New(slog.DiscardHandler),
	}
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
	forItself := proven(application.ApplicationRestricted)
	forItself.Act = &event.OnBehalfOf{Organisation: event.Organisation{Name: "Elm Street"}}
	asUser, scoped := proven(application.UserRestricted), proven(application.UserRestricted)
	asUser.Staff, scoped.Staff, asUser.AuthorisedUntil = provenFor, provenFor, written
	notEnabled := fault.New(fault.Forbidden, "unauthorized", "The app has not been granted access to this tenant")
	note := `{"patientId":"` + strings.ToUpper(annID) + `","note":"a cough"}`

	for name, test := range map[string]struct {
		caller             commands.Caller
		refusal, broken    error
		method, path, body string
		want               access.Call // what is not the caller's
	}{
		"allowed": {forItself, nil, nil, "GET", "/ping", "", access.Call{Endpoint: "ping", Status: 200}},
		"refused": {asUser, notEnabled, nil, "GET", "/ping", "",
			access.Call{Endpoint: "ping", Status: 403, Code: "unauthorized", Reason: notEnabled.Detail}},
		"a patient in the body": {forItself, nil, nil, "POST", "/create-note", note,
			access.Call{Endpoint: "create-note", Patient: ann, Status: 200}},
		"a patient in the query": {asUser, nil, errors.New("disk full"), "GET", "/retrieve-care-record?patientId=" + annID, "",
			access.Call{Endpoint: "retrieve-care-record", Patient: ann, Status: 500, Code: "internal-error",
				Reason: "Something went wrong on our side. Quote the X-Request-Id when you report it."}},
		"a patient beyond the scope": {scoped, nil, nil, "POST", "/create-note", note,
			access.Call{Endpoint: "create-note", Patient: ann, Status: 403, Code: "patient-not-authorised", Reason: commands.ErrWrongPatient.Detail}},
		"no patient": {forItself, nil, nil, "POST", "/create-note", `{"patientId":"ann","note":" "}`,
			access.Call{Endpoint: "create-note", Status: 400, Code: "invalid-patient-id", Reason: "patientId must be a UUID of 36 characters."}},
		"the service's own fault": {forItself, nil, errors.New("disk full"), "POST", "/open-care-record", note,
			access.Call{Endpoint: "open-care-record", Patient: ann, Status: 500, Code: "internal-error",
				Reason: "Something went wrong on our side. Quote the X-Request-Id when you report it."}},
		"a panic": {forItself, nil, nil, "POST", "/open-care-record", note,
			access.Call{Endpoint: "open-care-record", Patient: ann, Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clerk{desk: desk{caller: test.caller}, refusal: test.refusal, broken: test.broken}
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

func TestNothingIsRecordedBeforeTheSignatureHolds_D3(t *testing.T) {
	t.Parallel()
	forged := fault.New(fault.Forbidden, "unauthorized", "Invalid JWT: the signature check failed for the key that kid names")
	c := &clerk{refusal: forged}
	c.call(t, http.MethodGet, "/ping", "")
	c = &clerk{desk: desk{caller: proven(application.ApplicationRestricted)}, calls: c.calls}
	c.call(t, http.MethodGet, "/nowhere", "")
	c.call(t, http.MethodDelete, "/ping", "")
	c.call(t, http.MethodGet, "/openapi.json", "")
	if len(c.calls) > 0 {
		t.Errorf("recorded %+v", c.calls)
	}
}

// An endpoint that is added must not forget to say whom its calls are about.
func TestEveryEndpointThatNamesAPatientIsRecordedWithThem_D37(t *testing.T) {
	t.Parallel()
	for _, endpoint := range application.Endpoints() {
		if !endpoint.NamesPatient() {
			continue
		}
		c := &clerk{desk: desk{caller: proven(application.ApplicationRestricted)}, broken: errors.New("disk full")}
		c.call(t, http.MethodPost, "/"+string(endpoint), `{"patientId":"`+annID+`"}`)
		c.call(t, http.MethodGet, "/"+string(endpoint)+"?patientId="+annID, "") // one of the two is not allowed
		if len(c.calls) != 1 || c.calls[0].Patient != ann || c.calls[0].Endpoint != endpoint {
			t.Errorf("%s is recorded as %+v", endpoint, c.calls)
		}
	}
}
