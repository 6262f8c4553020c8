//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// counts are the answers to one kind of call.
type counts struct {
	served, refused int
	slowest         time.Duration
}

// clientsOfEach is how many clients make the calls of one kind.
const clientsOfEach = 8

// requests are the kinds of calls. A read asks the database once, a page too.
func (s *trial) requests() map[string]func(context.Context) (*http.Request, error) {
	return map[string]func(context.Context) (*http.Request, error){
		"append": func(ctx context.Context) (*http.Request, error) {
			return s.request(ctx, http.MethodPost, "create-patient-request", strings.NewReader(s.submission()+`}`))
		},
		"read": func(ctx context.Context) (*http.Request, error) {
			return s.request(ctx, http.MethodGet, "ping", http.NoBody)
		},
		"page": func(ctx context.Context) (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/elm-street/staff/sign-in", http.NoBody)
			if err != nil {
				return nil, err
			}
			r.Host = "auth.frontdesk.test"
			r.AddCookie(&http.Cookie{Name: "frontdesk-elm-street", Value: "ended"}) // without one, nothing is asked
			return r, nil
		},
	}
}

// submission is the beginning of a patient request.
func (s *trial) submission() string {
	return `{"patientId":"` + s.patient + `","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]`
}

func (s *trial) request(ctx context.Context, method, endpoint string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+"/transactional-api/"+endpoint, body)
	if err != nil {
		return nil, err
	}
	r.Host = "elm-street.frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(clock.System()))
	return r, nil
}

// callUntil calls again and again. It lets a call that is under way come to its end.
func (s *trial) callUntil(ctx context.Context, kind string, request func(context.Context) (*http.Request, error)) {
	for ctx.Err() == nil {
		r, err := request(context.WithoutCancel(ctx))
		if err != nil {
			s.t.Error(err)
			return
		}
		s.call(kind, r)
		time.Sleep(5 * time.Millisecond)
	}
}

// slowest is how long a call may take while the database answers nothing: ten seconds for a
// permit, because more calls come than connections serve, ten for the database, and some for
// the machine.
const slowest = 25 * time.Second

// call makes one call and notes its answer.
func (s *trial) call(kind string, r *http.Request) {
	began := clock.Start()
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Errorf("%s: no answer: %v", kind, err)
		return
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	took := began.Elapsed()
	if took > slowest {
		s.t.Logf("%s was answered %d after %s", r.URL.Path, response.StatusCode, took)
	}
	s.note(kind, response, body, took)
}

// everywhere returns a call of each endpoint, and of the key set.
func (s *trial) everywhere() (calls []func()) {
	names := []string{"jwks"}
	for _, e := range access.Endpoints() {
		names = append(names, string(e.Name))
	}
	reads := []application.EndpointName{"jwks", access.RequestTypeAvailability, access.RetrieveCareRecord, access.Application, access.OwnCalls, access.OwnDeliveries}
	for _, name := range names {
		method := http.MethodPost
		if slices.Contains(reads, application.EndpointName(name)) {
			method = http.MethodGet
		}
		r, err := s.request(s.t.Context(), method, name, strings.NewReader(`{}`))
		s.must(err)
		calls = append(calls, func() { s.call("other", r) })
	}
	return calls
}

// upload begins a call with a file, and returns two functions: one sends the second half of
// it, the other waits for the answer.
func (s *trial) upload() (calls []func()) {
	body, writer := io.Pipe()
	r, err := s.request(s.t.Context(), http.MethodPost, "create-patient-request", body)
	s.must(err)
	half := strings.Repeat("QUJD", 1<<20)
	answered := make(chan struct{})
	go func() { defer close(answered); s.call("upload", r) }()
	_, err = io.WriteString(writer, s.submission()+`,"attachments":[{"fileName":"a.jpg","contentType":"image/jpeg","data":"`+half)
	s.must(err)
	return []func(){
		func() { _, _ = io.WriteString(writer, half+`"}]}`); _ = writer.Close() }, // an error means that the answer came early
		func() { <-answered },
	}
}

// note counts an answer, and fails unless it is 200, or 503 as the contract has it.
func (s *trial) note(kind string, response *http.Response, body []byte, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kinds[kind]
	found.slowest = max(found.slowest, took)
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		found.served++
		var made struct{ PatientRequestID uuid.UUID }
		if kind == "append" && json.Unmarshal(body, &made) == nil {
			s.stored = append(s.stored, made.PatientRequestID)
		}
	case status == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "" &&
		(kind == "page" || strings.Contains(string(body), `{"errors":[{"code":"unavailable"`)):
		found.refused++
	default:
		s.t.Errorf("%s: answered %d %s", kind, status, body)
	}
	s.kinds[kind] = found
}

func (s *trial) counts(kind string) counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds[kind]
}

// forget drops the durations of earlier calls.
func (s *trial) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for kind, found := range s.kinds {
		found.slowest = 0
		s.kinds[kind] = found
	}
}
