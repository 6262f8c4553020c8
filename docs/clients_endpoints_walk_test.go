//go:build walk

package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// Every endpoint of the OpenAPI description is called in every language, and gives the right answer.
func TestWalkClientsCallEveryEndpoint_D99(t *testing.T) {
	t.Parallel()
	s, info, _ := aSignedSandbox(t)
	s.operate(t, "authorisation", "grant", "--database-url", info.DatabaseURL, "--tenant", info.TenantID,
		"--application", info.Application.ID, "--username", info.Staff.Username)
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		d := info.caller(t, c, info.APIURL)
		patient := s.aPatient(t, info)
		called := map[string]bool{}
		by := func(d *driver, endpoint string, input fields) outcome {
			t.Helper()
			called[endpoint] = true
			return d.must(order{Do: endpoint, Input: input})
		}
		call := func(endpoint string, input fields) outcome { t.Helper(); return by(d, endpoint, input) }
		for _, step := range []func(*testing.T, *driver, string, sandboxInfo, func(string, fields) outcome){requests, theDay, records, pings} {
			step(t, d, patient, info, call)
		}
		asksAboutItself(t, s, c, by)
		if got := slices.Sorted(maps.Keys(called)); !slices.Equal(got, openapiEndpoints(t)) {
			t.Errorf("it calls %q, and OpenAPI has %q", got, openapiEndpoints(t))
		}
	})
}

// openapiEndpoints are those that need a token, by their path.
func openapiEndpoints(t *testing.T) (endpoints []string) {
	t.Helper()
	var described struct {
		Paths map[string]map[string]struct {
			Security *[]any `json:"security"`
		}
	}
	text, err := os.ReadFile("../adapters/httpapi/openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range described.Paths {
		for _, one := range methods {
			if one.Security == nil && !slices.Contains(endpoints, strings.TrimPrefix(path, "/transactional-api/")) {
				endpoints = append(endpoints, strings.TrimPrefix(path, "/transactional-api/"))
			}
		}
	}
	slices.Sort(endpoints)
	return endpoints
}

func requests(t *testing.T, d *driver, patient string, _ sandboxInfo, call func(string, fields) outcome) {
	request := fields{
		"patientId": patient, "requestType": "medical", "requester": "proxy", "isHighPriority": true,
		"proxyDetails": fields{"firstName": "Pat", "lastName": "Archer", "relationshipToPatient": "daughter"},
		"response":     []fields{{"question": "healthConcern", "answer": "A cough — “dry”"}},
	}
	file := writeFile(t, "cough.png", "\x89PNG…")
	created := d.must(order{Do: "create-patient-request", Input: request, Files: []string{file}})
	if call("create-patient-request", request).OK["patientRequestId"] == created.OK["patientRequestId"] {
		t.Error("two requests are one")
	}
	ended := call("request-outcome", fields{"patientRequestId": created.OK["patientRequestId"]})
	if ended.OK["status"] != "open" || ended.OK["patientRequestId"] != created.OK["patientRequestId"] {
		t.Errorf("request-outcome: %s", ended.Text)
	}
	types := call("request-type-availability", nil)
	if !strings.Contains(string(types.Text), `"medical"`) || !strings.Contains(string(types.Text), `"open"`) {
		t.Errorf("availability: %s", types.Text)
	}
	request["requester"], request["patientId"] = "nobody", "x"
	refused := d.do(order{Do: "create-patient-request", Input: request})
	if refused.Error == nil || refused.Error.Status != 400 || refused.Tries != 1 || refused.Error.RequestID == "" ||
		!strings.Contains(refused.Error.Message, "invalid-patient-id") || !strings.Contains(refused.Error.Message, "invalid-requester") {
		t.Errorf("of a refusal it says %+v", refused.Error)
	}
}

func theDay(t *testing.T, _ *driver, patient string, info sandboxInfo, call func(string, fields) outcome) {
	booking := fields{"patientId": patient, "siteId": info.Sites[0].ID, "at": clock.System().UTC().Add(time.Hour).Format(time.RFC3339)}
	appointment := call("book-appointment", booking).OK["appointmentId"]
	named := fields{"appointmentId": appointment}
	for _, endpoint := range []string{"call-in-patient", "clear-call-in", "mark-did-not-attend"} {
		if got := call(endpoint, named); got.OK["appointmentId"] != appointment {
			t.Errorf("%s: %s", endpoint, got.Text)
		}
		if endpoint == "call-in-patient" {
			if got := call("called-in", fields{"siteId": info.Sites[0].ID}).Text; !strings.Contains(string(got), fmt.Sprint(appointment)) {
				t.Errorf("called-in: %s", got)
			}
		}
	}
	if got := call("sites", nil).Text; !strings.Contains(string(got), fmt.Sprint(info.Sites[0].ID)) {
		t.Errorf("sites: %s", got)
	}
	if call("start-consultation", fields{"patientId": patient, "appointmentId": appointment}).OK["consultationId"] == "" {
		t.Error("a consultation has no identifier")
	}
}

func records(t *testing.T, d *driver, patient string, info sandboxInfo, call func(string, fields) outcome) {
	act := fields{
		"practitioner": fields{"name": "Dr Ann Lee", "email": "ann@example.org", "gmc_number": "1234567"},
		"organisation": fields{"name": "High Street Practice", "ods_code": "A12345"}, "role": "General practitioner",
	}
	note := fields{"patientId": patient, "note": "Called back."}
	call("create-note", note)
	d.must(order{Do: "create-note", Input: note, Act: act})
	d.must(order{Do: "create-note", Input: note, As: info.Staff.Username})
	call("open-care-record", fields{"patientId": patient})
	details := fields{"patientId": patient, "telephone": "+44 20 7946 0958", "email": "ann@example.org", "nhsNumber": "943 476 5919"}
	if got := call("set-contact-details", details); got.OK["patientId"] != patient {
		t.Errorf("set-contact-details: %s", got.Text)
	}
	var record struct {
		Patient         struct{ PatientID, Name, BirthDate string }
		Notes           []struct{ Note, UserName, CreatedAt string }
		PatientRequests []struct {
			ProxyDetails struct{ FirstName string }
			Response     []struct{ Answer string }
			Attachments  []struct{ FileName, ContentType string }
		}
		Consultations []struct{ ConsultationID string }
	}
	text := call("retrieve-care-record", fields{"patientId": patient}).Text
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	if record.Patient.BirthDate != "1980-02-03" || len(record.Consultations) != 1 || len(record.Notes) != 3 || len(record.PatientRequests) != 2 ||
		record.Notes[0].UserName != info.Staff.Name || record.Notes[1].UserName != "Dr Ann Lee" || record.Notes[2].UserName != "" ||
		record.PatientRequests[0].ProxyDetails.FirstName != "Pat" || record.PatientRequests[1].Response[0].Answer != "A cough — “dry”" ||
		len(record.PatientRequests[1].Attachments) != 1 || record.PatientRequests[1].Attachments[0].ContentType != "image/png" {
		t.Errorf("the record is %s", text)
	}
}

func pings(t *testing.T, d *driver, _ string, info sandboxInfo, call func(string, fields) outcome) {
	if pong := call("ping", nil); pong.OK["mode"] != "application-restricted" || pong.OK["tenantId"] != info.TenantID {
		t.Errorf("ping: %s", pong.Text)
	}
	pong := d.must(order{Do: "ping", As: info.Staff.Username})
	if pong.OK["mode"] != "user-restricted" || pong.OK["username"] != info.Staff.Username || pong.OK["authorisedUntil"] == nil {
		t.Errorf("ping of a user: %s", pong.Text)
	}
	refused := d.do(order{Do: "ping", As: "nobody"})
	if refused.Error == nil || refused.Error.Code != "unauthorized" || refused.Error.Status != 403 || refused.Tries != 1 {
		t.Errorf("of a refusal it says %+v", refused.Error)
	}
}
