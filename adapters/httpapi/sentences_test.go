package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// errorTexts returns the codes and sentences of an error body.
func errorTexts(t *testing.T, body []byte) (said []string) {
	t.Helper()
	var answer struct {
		Errors []struct{ Code, Description string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Errorf("the answer is %q", body)
	}
	for _, one := range answer.Errors {
		said = append(said, one.Code+": "+one.Description)
	}
	return said
}

// wantErrors fails the test unless a call was refused with these codes and sentences.
func wantErrors(t *testing.T, answer *httptest.ResponseRecorder, want ...string) {
	t.Helper()
	if said := errorTexts(t, answer.Body.Bytes()); !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

func TestPatientRequestMistakesAreNamed_D92(t *testing.T) {
	t.Parallel()
	file := `{"fileName":"x.png","contentType":"image/png","data":"YQ=="}`
	replaced := func(old, with string) string { return strings.Replace(cough(), old, with, 1) }
	for body, want := range map[string]string{
		replaced(`"patientId":"`+annID+`",`, ``):              "missing-patient-id: patientId must be given.",
		replaced(annID, "x"):                                  "invalid-patient-id: patientId must be a UUID of 36 characters.",
		replaced(`"medical"`, `"urgent"`):                     "invalid-request-type: requestType must be medical or admin.",
		replaced(`"patient"`, `"friend"`):                     "invalid-requester: requester must be patient or proxy.",
		replaced(`"patient"`, `"proxy"`):                      "missing-proxy-details: proxyDetails must be given, because requester is proxy.",
		replaced(`"response"`, `"proxyDetails":7,"response"`): "invalid-proxy-details: proxyDetails must be an object with firstName, lastName and relationshipToPatient.",
		replaced(`"response"`, `"proxyDetails":{"firstName":"A","lastName":" ","relationshipToPatient":"B"},"response"`): "invalid-proxy-details: proxyDetails.lastName must be a string that is not blank.",
		replaced(`[{"question":"healthConcern","answer":"a cough"}]`, `[]`):                                              "empty-response: response must have at least one item.",
		replaced(`healthConcern`, `requestDetails`):                                                                      "invalid-question: response[0].question must be one of: healthConcern, recentContact.",
		cough(file, file, file, file, file, file):                                                                        "too-many-attachments: attachments must have at most 5 items, and has 6.",
		cough(strings.Replace(file, "image/png", "text/plain", 1)):                                                       "unsupported-file-type: attachments[0].contentType must be one of: image/jpeg, image/png, application/msword, application/vnd.openxmlformats-officedocument.wordprocessingml.document.",
		cough(jpeg("x.jpg", make([]byte, 10<<20+1))):                                                                     "attachment-too-large: attachments[0] must have at most 10485760 bytes.",
		cough(strings.Replace(file, "x.png", " ", 1)):                                                                    "invalid-request-body: attachments[0].fileName must be a string that is not blank.",
		replaced(`"attachments":[]`, `"attachments":"YQ=="`):                                                             "invalid-request-body: attachments must be an array or null.",
		replaced(`{"question":"healthConcern","answer":"a cough"}`, `7`):                                                 "invalid-request-body: response[0] must be an object.",
		replaced(`"a cough"`, `7`):                                                                                       "invalid-request-body: response[0].answer must be a string.",
		replaced(`"response"`, `"isHighPriority":"yes","response"`):                                                      "invalid-request-body: isHighPriority must be true, false or null.",
		replaced(`"response"`, `"Attachments":[],"response"`):                                                            "invalid-request-body: attachments must be written in exactly this case.",
		replaced(`"a cough"`, `"`+strings.Repeat("x", 1<<20+1)+`"`):                                                      "invalid-request-body: Only an attachment's data may be longer than 1048576 bytes.",
		cough() + strings.Repeat(" ", 4<<20):                                                                             "request-too-large: A body must have at most 100 MiB, and at most 4 MiB and 65536 values beside the data of attachments.",
		"[]":                                                                                                             "invalid-request-body: The body must be a JSON object.",
	} {
		wantErrors(t, (&counter{caller: asApplication}).post(t, body), want)
	}
	c := &counter{caller: asApplication}
	wantErrors(t, c.post(t, cough(), "Content-Type", "text/plain"), "unsupported-media-type: Send the body as Content-Type: application/json.")
	wantErrors(t, c.post(t, cough(), "Idempotency-Key", ""), "invalid-idempotency-key: Idempotency-Key must be given once, with 1 to 255 bytes.")
}

func TestClinicalCallMistakesAreNamed_D92(t *testing.T) {
	t.Parallel()
	cancelled := []event.Event{appointment.Cancelled{Subject: annsVisit}}
	for _, c := range []struct {
		endpoint, query, body string
		given                 []event.Event
		want                  string
	}{
		{"create-note", "", `{"patientId":"` + annID + `"}`, nil, "empty-note: note must be given and must not be blank."},
		{"create-note", "", `{"patientId":"` + unknownID + `","note":"a"}`, nil, "patient-not-found: There is no patient with this patientId."},
		{"create-note", "", `{"patientId":"` + annID + `","note":7}`, nil, "invalid-request-body: note must be a string."},
		{"set-contact-details", "", `{"patientId":"` + annID + `","email":null}`, nil,
			"missing-contact-detail: Give telephone, email and nhsNumber, each a text or null: the call replaces all three."},
		{"set-contact-details", "", `{"patientId":"` + annID + `","telephone":"x","email":null,"nhsNumber":null}`, nil,
			"invalid-telephone: Write telephone with 5 to 15 digits, spaces between them, and an optional + at the beginning."},
		{"set-contact-details", "", `{"patientId":"` + annID + `","telephone":null,"email":"x","nhsNumber":null}`, nil,
			"invalid-email: Write email as one address, such as ann@example.org, in at most 254 characters."},
		{"set-contact-details", "", `{"patientId":"` + annID + `","telephone":null,"email":null,"nhsNumber":"1"}`, nil,
			"invalid-nhs-number: Check nhsNumber: it has 10 digits, and the last one does not match the others."},
		{"clear-call-in", "", `{}`, nil, "missing-appointment-id: appointmentId must be given."},
		{"clear-call-in", "", `{"appointmentId":"x"}`, nil, "invalid-appointment-id: appointmentId must be a UUID of 36 characters."},
		{"clear-call-in", "", `{"appointmentId":"` + unknownID + `"}`, nil, "appointment-not-found: There is no appointment with this appointmentId."},
		{"clear-call-in", "", `{"appointmentId":"` + appointmentID + `"}`, cancelled, "appointment-not-found: The appointment with this appointmentId was cancelled."},
		{"start-consultation", "", `{"patientId":"` + billID + `","appointmentId":"` + appointmentID + `"}`, nil,
			"appointment-not-found: The patient has no appointment with this appointmentId."},
		{"call-in-patient", "", `{"appointmentId":"` + appointmentID + `","roomId":"x"}`, nil, "invalid-room-id: roomId must be a UUID of 36 characters."},
		{"call-in-patient", "", `{"appointmentId":"` + appointmentID + `","roomId":"` + unknownID + `"}`, nil,
			"room-not-found: The appointment's site has no room with this roomId."},
		{"book-appointment", "", `{"patientId":"` + annID + `","siteId":"` + siteID + `"}`, nil, "missing-appointment-time: at, the time of the appointment, must be given."},
		{"book-appointment", "", `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"noon"}`, nil,
			"invalid-appointment-time: at, the time of the appointment, must be an RFC 3339 instant."},
		{"book-appointment", "", `{"patientId":"` + annID + `","at":"2026-03-02T12:00:00Z"}`, nil, "missing-site-id: siteId must be given."},
		{"book-appointment", "", `{"patientId":"` + annID + `","siteId":"x","at":"2026-03-02T12:00:00Z"}`, nil, "invalid-site-id: siteId must be a UUID of 36 characters."},
		{"book-appointment", "", `{"patientId":"` + annID + `","siteId":"` + unknownID + `","at":"2026-03-02T12:00:00Z"}`, nil,
			"site-not-found: The practice has no site with this siteId."},
		{"retrieve-care-record", "patientId=" + annID + "&x=%zz", "", nil, "invalid-patient-id: The query string is malformed."},
		{"retrieve-care-record", "patientId=" + annID + "&patientId=" + annID, "", nil, "invalid-patient-id: patientId must be given once."},
		{"nowhere", "", "", nil, "not-found: There is nothing at this address."},
	} {
		d := &desk{caller: asApplication, given: c.given}
		_, answer := d.call(t, c.endpoint, c.query, c.body)
		text, _ := json.Marshal(answer)
		if said := errorTexts(t, text); !slices.Equal(said, []string{c.want}) {
			t.Errorf("%s %s: said %q, want %q", c.endpoint, c.body, said, c.want)
		}
	}
}

// The answer does not reveal whether the practice exists, only the form of hosts.
func TestUnknownHostListsPracticeHosts_D92(t *testing.T) {
	t.Parallel()
	api := (&clerk{Store: practiceDay(t), caller: asApplication}).api()
	for _, host := range []string{"nowhere.example", "frontdesk.example", "a.b.frontdesk.example", ".frontdesk.example", "127.0.0.1:8080", "[::1]", ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/transactional-api/ping", http.NoBody)
		r.Host = host
		answer := httptest.NewRecorder()
		api.Handler().ServeHTTP(answer, r)
		wantErrors(t, answer, "not-found: No practice is served at this host: practices are {tenantId}.frontdesk.example.")
		if answer.Code != http.StatusNotFound || answer.Header().Get("X-Request-Id") == "" {
			t.Errorf("%q: %d, %v", host, answer.Code, answer.Header())
		}
	}
}

func TestWrongMethodNamesAllowed_D92(t *testing.T) {
	t.Parallel()
	api := (&clerk{Store: practiceDay(t), refusal: fault.New(fault.Forbidden, "unauthorized", "No")}).api()
	api.SigningKeys = theKeySet
	handler := api.Handler()
	call := func(method, path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://elm-street.frontdesk.example/transactional-api/"+path, http.NoBody))
		return answer
	}
	paths := []string{"jwks", "openapi.json"}
	for _, e := range access.Endpoints() {
		paths = append(paths, string(e.Name))
	}
	for _, path := range paths {
		wrong := call("BREW", path)
		allow := wrong.Header().Get("Allow")
		allowed := strings.Split(allow, ", ")
		wantErrors(t, wrong, "method-not-allowed: Use "+strings.Join(allowed, " or ")+".")
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace} {
			answer := call(method, path)
			refused := answer.Code == http.StatusMethodNotAllowed
			if refused == slices.Contains(allowed, method) || refused && answer.Header().Get("Allow") != allow {
				t.Errorf("%s %s: %d, and allowed are %s", method, path, answer.Code, allow)
			}
		}
	}
}

func TestUnreadableRequestNamesReason_D92(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says int
		why  string
		want string
	}{
		{400, "", "malformed-request: The request is not well-formed HTTP/1.1: its first line, a header or the framing of its body is wrong."},
		{400, "missing required Host header", "malformed-request: The request is not well-formed HTTP/1.1: missing required Host header."},
		{417, "", "malformed-request: Send no Expect header, or Expect: 100-continue."},
		{431, "", "headers-too-large: The first line and the headers must have at most 32 KiB together."},
		{501, "", "malformed-request: Send the body with a Content-Length, or with Transfer-Encoding: chunked."},
		{505, "", "malformed-request: Send the request by HTTP/1.1."},
	} {
		_, _, text := httpapi.Unread(c.says, c.why, written)
		if said := errorTexts(t, text); !slices.Equal(said, []string{c.want}) {
			t.Errorf("%d %s: said %q, want %q", c.says, c.why, said, c.want)
		}
	}
}

func TestQueryMistakesAreNamed_D92(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"application/calls?limit=0":            "invalid-query: limit must be a whole number from 1 to 200.",
		"application/calls?limit=%zz":          "invalid-query: The query string is malformed.",
		"application/calls?limit=1&limit=1":    "invalid-query: limit must be given once.",
		"application/calls?status=lost":        "invalid-query: status must be one of: all, answered, refused, unproven.",
		"application/calls?requestId=x":        "invalid-query: requestId must be a UUID of 36 characters.",
		"application/calls?cursor=x":           "invalid-query: cursor must be the next of an earlier page. Begin again without one.",
		"application/deliveries?from=tomorrow": "invalid-query: from must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.",
	} {
		endpoint, query, _ := strings.Cut(query, "?")
		_, answer := (&desk{caller: asApplication}).call(t, endpoint, query, "")
		text, _ := json.Marshal(answer)
		if said := errorTexts(t, text); !slices.Equal(said, []string{want}) {
			t.Errorf("%s: said %q, want %q", query, said, want)
		}
	}
}
