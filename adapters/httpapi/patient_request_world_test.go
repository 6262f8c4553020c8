package httpapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// counter is an API that takes patient requests of one caller and records them.
type counter struct {
	httpapitest.Shelf
	caller  access.Caller
	refuses error // returned by the append

	appending func() // the next append waits for it
	mu        sync.Mutex
	taken     []takenRequest
}

type takenRequest struct {
	request.Submitted
	id          request.ID
	by          string // the application
	idempotency event.Idempotency
}

func (c *counter) api() *httpapi.API {
	return &httpapi.API{
		Domain: "frontdesk.example", DefaultTenant: "elm-street", Recognise: proves(c.caller), Rights: stays(c.caller),
		Desk:    commands.Desk{Store: c, Receptions: c, Patients: c, Responses: c, Now: clock.System},
		Uploads: &c.Shelf,
		Limit:   time.Minute, Now: clock.System, Log: slog.New(slog.DiscardHandler),
	}
}

// Load is of streams that there are not.
func (c *counter) Load(context.Context, event.Stream) ([]event.Event, error) { return nil, nil }

// next sets a function that the next append calls first.
func (c *counter) next(appending func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.appending = appending
}

// Append takes a request.
func (c *counter) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	c.mu.Lock()
	wait := c.appending
	c.appending = nil
	c.mu.Unlock()
	if wait != nil {
		wait()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses != nil || ctx.Err() != nil {
		return nil, errors.Join(c.refuses, ctx.Err())
	}
	for _, change := range changes {
		submitted, _ := change.Events[0].(request.Submitted)
		c.taken = append(c.taken, takenRequest{submitted, request.ID{UUID: change.Stream.ID}, event.MetadataFrom(ctx).Actor.ID, event.MetadataFrom(ctx).Idempotency})
	}
	return nil, nil
}

// Receptions are open at all hours.
func (c *counter) Receptions(context.Context, string) (practice.Receptions, error) {
	return practice.Receptions{Zone: time.UTC}, nil
}

// PatientExists is true of every patient.
func (c *counter) PatientExists(context.Context, string, patient.ID) (bool, error) { return true, nil }

// Answer finds no stored answer.
func (c *counter) Response(context.Context, string, event.Digest, time.Time) (commands.Response, error) {
	return commands.Response{}, nil
}

// post makes one call, with headers in pairs.
func (c *counter) post(t *testing.T, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://elm-street.frontdesk.example/transactional-api/create-patient-request", strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	c.api().Handler().ServeHTTP(answer, r)
	return answer
}

// cough is a valid request with attachments.
func cough(attachments ...string) string {
	return `{"patientId":"` + annID + `","requestType":"medical","requester":"patient",` +
		`"response":[{"question":"healthConcern","answer":"a cough"}],"attachments":[` + strings.Join(attachments, ",") + `]}`
}

func jpeg(name string, content []byte) string {
	return fmt.Sprintf(`{"fileName":%q,"contentType":"image/jpeg","data":%q}`, name, base64.StdEncoding.EncodeToString(content))
}

func wantAnswer(t *testing.T, answer *httptest.ResponseRecorder, status int, codes ...string) {
	t.Helper()
	var body struct {
		Errors []struct{ Code string }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
		t.Errorf("the answer is %q", answer.Body)
	}
	var got []string
	for _, e := range body.Errors {
		got = append(got, e.Code)
	}
	if diff := cmp.Diff(codes, got); answer.Code != status || diff != "" {
		t.Errorf("status %d, want %d; codes (-want +got):\n%s", answer.Code, status, diff)
	}
}
