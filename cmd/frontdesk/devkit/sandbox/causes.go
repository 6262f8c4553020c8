package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Cause is something in the sandbox that causes an answer, so that a client can be tried
// with it.
type Cause struct {
	Name      string                   `json:"name"`
	APIURL    string                   `json:"apiURL"` // of the practice to call; a path of localhost leads to each
	Endpoint  application.EndpointName `json:"endpoint"`
	PatientID patient.ID               `json:"patientId"`
	Status    int                      `json:"status"`
	Code      string                   `json:"code,omitempty"`
	Says      string                   `json:"says"` // how it comes about
}

// cause is the way in which the sandbox creates a cause.
type cause struct {
	name, says string
	status     int
	code       string
	endpoint   application.EndpointName // "" for create-patient-request
	practice   string                   // a tenant of its own, which is in a state for good; "" for the sandbox's
	ready      func(ctx context.Context, desk commands.Desk, tenant string) error
	of         string // the cause whose patient this one is about; "" for one of its own
	restricted bool   // the record is open to one person only
	file       func() map[string]string
}

// causes lists them. A cause is a state of the practice where possible; the others are
// obstacles (obstacles.go).
func causes() []cause {
	return []cause{
		{name: "unknown-patient", status: 400, code: "patient-not-found", says: "The practice has no patient with this identifier."},
		{name: "other-practice", of: "paused", status: 400, code: "patient-not-found", says: "The patient is another practice's."},
		{
			name: "restricted", restricted: true, endpoint: access.OpenCareRecord, status: 403, code: "unauthorized",
			says: "The record is open to " + restrictedTo + " alone. Call in the name of another member of staff, who has authorised the application.",
		},
		{name: "paused", practice: "paused", ready: pause, status: 400, code: "request-type-paused", says: "The practice has paused both types of request."},
		{name: "closed", practice: "closed", ready: closeDown, status: 400, code: "request-type-closed", says: "The practice is closed."},
		{name: "disabled", practice: "disabled", ready: switchOff, status: 400, code: "request-type-disabled", says: "The practice has switched both types of request off."},
		{name: "rate-limited", status: 429, code: "rate-limited", says: "One call about this patient is answered; others within 5 seconds are refused, with Retry-After."},
		{name: "unavailable", status: 503, code: "unavailable", says: "Every call about this patient is answered as if the database were away, with Retry-After."},
		{name: "flaky", status: 503, code: "unavailable", says: "Every second call about this patient is, the first one included; the others are answered."},
		{name: "slow", status: 200, says: "A call about this patient is answered after 3 seconds."},
		{name: "too-large", of: "ordinary", file: tooLarge, status: 400, code: "attachment-too-large", says: "The attachment has a byte more than 10 MiB."},
		{name: "unsupported-type", of: "ordinary", file: unsupported, status: 400, code: "unsupported-file-type", says: "The attachment is a GIF."},
		{name: "bad-base64", of: "ordinary", file: badBase64, status: 400, code: "invalid-attachment-content", says: "The attachment's data is base64url."},
	}
}

// restrictedTo is the only one who may see the restricted record.
const restrictedTo = "jo.price"

// stranger is a patient of no practice.
var stranger = patient.ID{UUID: uuid.MustParse("01900000-0000-7000-8000-000000000404")}

// plantCauses registers the practices and patients that the seed lacks. It records each
// before the next.
func plantCauses(ctx context.Context, desk commands.Desk, file string, s *seed) error {
	if s.Causes == nil {
		s.Causes = map[string]patient.ID{"ordinary": s.Patients[0].ID, "unknown-patient": stranger}
	}
	for _, c := range causes() {
		if _, planted := s.Causes[c.name]; planted || c.of != "" {
			continue
		}
		id, err := c.plant(ctx, desk, s.Application)
		if err != nil {
			return err
		}
		s.Causes[c.name] = id
		if err := writeJSON(file, s); err != nil {
			return err
		}
	}
	return nil
}

func (c cause) plant(ctx context.Context, desk commands.Desk, app application.ID) (id patient.ID, err error) {
	at := tenant
	if c.practice != "" {
		at = c.practice
		if err := c.found(ctx, desk, app); err != nil {
			return id, err
		}
	}
	id, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: at, Name: "Pat " + titled(c.name)})
	if err != nil || !c.restricted {
		return id, err
	}
	return id, desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: at, Patient: id, Usernames: []string{restrictedTo}})
}

// found registers the practice that the cause needs, unless an earlier start that was cut
// short has.
func (c cause) found(ctx context.Context, desk commands.Desk, app application.ID) error {
	err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: c.practice, Name: titled(c.practice) + " Surgery"})
	if err != nil && !errors.Is(err, practice.ErrTenantTaken) {
		return err
	}
	if err := desk.EnableApplication(ctx, commands.EnableApplication{Tenant: c.practice, Application: app}); err != nil {
		return err
	}
	return c.ready(ctx, desk, c.practice)
}

// titled writes rate-limited as Rate-Limited.
func titled(name string) string {
	parts := strings.Split(name, "-")
	for i, part := range parts {
		parts[i] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "-")
}

func pause(ctx context.Context, desk commands.Desk, tenant string) error {
	return eachType(func(typ request.Type) error {
		return desk.PauseRequestType(ctx, commands.PauseRequestType{Tenant: tenant, RequestType: typ})
	})
}

func switchOff(ctx context.Context, desk commands.Desk, tenant string) error {
	return eachType(func(typ request.Type) error {
		return desk.SwitchRequestTypeOff(ctx, commands.SwitchRequestTypeOff{Tenant: tenant, RequestType: typ})
	})
}

func closeDown(ctx context.Context, desk commands.Desk, tenant string) error {
	return desk.ClosePractice(ctx, commands.ClosePractice{Tenant: tenant})
}

func eachType(do func(request.Type) error) error {
	for _, typ := range request.Types() {
		if err := do(typ); err != nil {
			return err
		}
	}
	return nil
}

// causesOf returns the causes of a sandbox that answers at an address by name, such as
// http://localhost:8080.
func causesOf(s seed, byName string) (all []Cause) {
	for _, c := range causes() {
		told := Cause{Name: c.name, APIURL: byName, Endpoint: c.endpoint, PatientID: s.Causes[c.name], Status: c.status, Code: c.code, Says: c.says}
		if c.of != "" {
			told.PatientID = s.Causes[c.of]
		}
		if c.practice != "" {
			told.APIURL = strings.Replace(byName, "://", "://"+c.practice+".", 1)
		}
		if told.Endpoint == "" {
			told.Endpoint = access.CreatePatientRequest
		}
		all = append(all, told)
	}
	return all
}

// Cause returns the cause of a name. The error lists the names.
func (i Info) Cause(name string) (Cause, error) {
	var names []string
	for _, c := range i.Causes {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Cause{}, fmt.Errorf("the sandbox knows no cause %q: it is one of %s", name, strings.Join(names, ", "))
}

// WriteBody writes the body of a call that meets the cause.
func (c Cause) WriteBody(w io.Writer) error {
	body := map[string]any{"patientId": c.PatientID}
	if c.Endpoint == access.CreatePatientRequest {
		body["requestType"], body["requester"] = request.Medical, "patient"
		body["response"] = answers("healthConcern", "A cough that will not go away")
	}
	known := causes()
	if i := slices.IndexFunc(known, func(known cause) bool { return known.name == c.Name }); i >= 0 && known[i].file != nil {
		body["attachments"] = []map[string]string{known[i].file()}
	}
	if err := json.NewEncoder(w).Encode(body); err != nil {
		return fmt.Errorf("write a body: %w", err)
	}
	return nil
}

func tooLarge() map[string]string {
	return attached("large.jpg", "image/jpeg", make([]byte, request.MaxAttachmentSize+1))
}

func unsupported() map[string]string {
	return attached("moving.gif", "image/gif", []byte("GIF89a"))
}

func badBase64() map[string]string {
	return map[string]string{"fileName": "photo.jpg", "contentType": "image/jpeg", "data": "_-8_-8_-"}
}

// Line is the cause in a line: the answer, and how it comes about.
func (c Cause) Line() string {
	outcome := fmt.Sprintf("%d %s", c.Status, c.Code)
	if c.Status == http.StatusOK {
		outcome = "200"
	}
	return c.Name + "\t" + outcome + "\t" + c.PatientID.String() + "\t" + c.APIURL + "\t" + c.Says
}
