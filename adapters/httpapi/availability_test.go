package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

var clockAt = time.Date(2026, 3, 2, 12, 0, 0, 1, time.UTC)

// askPortal calls the endpoint of an API with this read model.
func askPortal(t *testing.T, method string, types []practice.Availability, err error) *httptest.ResponseRecorder {
	t.Helper()
	api := &httpapi.API{
		Domain: "frontdesk.example",
		Recognise: func(_ context.Context, _ []string, tenant string, endpoint access.Endpoint) (func(context.Context) (access.Caller, error), error) {
			if endpoint.Name != access.RequestTypeAvailability {
				t.Errorf("the caller is judged for %s", endpoint.Name)
			}
			return proves(asApplication)(t.Context(), nil, tenant, endpoint)
		},
		RequestTypes: func(_ context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
			if tenant != "elm-street" || !now.Equal(clockAt) {
				t.Errorf("asked for %s at %s", tenant, now)
			}
			return types, err
		},
		Limit: time.Minute, Now: func() time.Time { return clockAt }, Log: slog.New(slog.DiscardHandler),
	}
	answer := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://elm-street.frontdesk.example/transactional-api/request-type-availability", nil)
	api.Handler().ServeHTTP(answer, r)
	return answer
}

func TestAvailabilityOfEveryRequestType_D24(t *testing.T) {
	t.Parallel()
	answer := askPortal(t, http.MethodGet, []practice.Availability{
		{Type: request.Medical, Status: practice.TypeClosed, NextOpening: time.Date(2026, 3, 30, 7, 0, 0, 0, time.UTC)},
		{Type: request.Admin, Status: practice.TypeOpen},
	}, nil)

	want := `{"requestTypes":[` +
		`{"requestType":"medical","status":"request-type-closed","nextOpening":"2026-03-30T07:00:00Z"},` +
		`{"requestType":"admin","status":"open","nextOpening":null}]}` + "\n"
	if diff := cmp.Diff(want, answer.Body.String()); answer.Code != http.StatusOK || diff != "" {
		t.Errorf("status %d, body (-want +got):\n%s", answer.Code, diff)
	}
}

func TestAvailabilityTakesOnlyGET(t *testing.T) {
	t.Parallel()
	answer := askPortal(t, http.MethodPost, nil, nil)
	if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != http.MethodGet {
		t.Errorf("status %d, Allow %q", answer.Code, answer.Header().Get("Allow"))
	}
}

func TestRefusalHasRetryAfterSeconds_7_1(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		next time.Time
		want string // Retry-After
	}{
		{time.Time{}, ""},
		{clockAt.Add(time.Hour), "3600"},
		{clockAt.Add(time.Hour + 1), "3601"}, // a retry at that time is not too early
		{clockAt.Add(time.Hour - 1), "3600"},
		{clockAt.Add(1), "1"},
		{clockAt.Add(-time.Hour), "1"}, // it has opened by now
	} {
		closed := practice.Availability{Status: practice.TypeClosed, NextOpening: c.next}
		answer := askPortal(t, http.MethodGet, nil, fmt.Errorf("submit patient request: %w", closed.Err()))

		var body struct {
			Errors []struct{ Code, Description string }
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || len(body.Errors) != 1 {
			t.Fatalf("body %s, error %v", answer.Body, err)
		}
		if got := answer.Header().Get("Retry-After"); got != c.want || answer.Code != http.StatusBadRequest ||
			body.Errors[0].Code != string(practice.TypeClosed) {
			t.Errorf("next opening %v: status %d, Retry-After %q, %+v; want %q", c.next, answer.Code, got, body, c.want)
		}
	}
}
