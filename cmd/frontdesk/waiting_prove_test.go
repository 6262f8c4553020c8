//go:build prove

package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

// TestProveThatNothingIsToldFromThePrimaryAlone sends requests while the standby receives
// nothing, and each again under its key. The primary has them, and is then lost: so none may
// be answered or relayed.
func TestProveThatNothingIsSentFromThePrimaryAlone_D105(t *testing.T) { //nolint:paralleltest // it measures
	s := newSurgery(t, newPair(t, true), "synchronous", 0)
	s.broker = brokertest.New(t)
	for range 2 {
		s.serve(s.url("frontdesk_app"), "synchronous", "--nats", s.broker.URL(), "--nats-replicas=1")
	}
	s.holdBack()
	const calls = 4
	for n := range calls {
		status, made := s.submit(n%2, "key-"+fmt.Sprint(n/2))
		switch status {
		case http.StatusOK:
			s.answered.add(made)
		case http.StatusServiceUnavailable:
		default:
			t.Errorf("a call was answered %d", status)
		}
	}
	s.killPrimary()
	s.promote()
	s.follow()
	log := s.settled()
	s.wantAnswered(log)
	s.wantRelayed(log)
	if status, _ := s.submit(0, "key-0"); status != http.StatusOK {
		t.Errorf("a call was answered %d in the end", status)
	}
	provetest.Tried(t, calls, "calls")
	provetest.Tried(t, 1, "failovers")
}

// submit sends a patient request under a key.
func (s *busy) submit(process int, key string) (status int, made uuid.UUID) {
	s.t.Helper()
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, s.patients[0])
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.served[process].url+"/transactional-api/create-patient-request", strings.NewReader(body))
	s.must(err)
	r.Host = surgeryTenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(clock.System()))
	r.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(r)
	s.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	s.must(err)
	var answer struct{ PatientRequestID uuid.UUID }
	if response.StatusCode == http.StatusOK {
		s.must(json.Unmarshal(text, &answer))
	}
	return response.StatusCode, answer.PatientRequestID
}
