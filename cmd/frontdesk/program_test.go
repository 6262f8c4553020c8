package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/cmd/frontdesk/testworld"
)

// program is a sandbox with the helpers of this package's tests.
type program struct {
	*testworld.Sandbox
	t *testing.T
}

func newSandbox(t *testing.T) *program {
	t.Helper()
	return &program{testworld.NewSandbox(t), t}
}

// sharedSandbox runs already, for tests that neither stop nor steer it.
func sharedSandbox(t *testing.T) *program {
	t.Helper()
	return &program{testworld.SharedSandbox(t), t}
}

func TestMain(m *testing.M) { testworld.Main(m) }

func (s *program) submit(ctx context.Context) (uuid.UUID, error) {
	response, err := s.send(ctx, "")
	if err != nil {
		return uuid.Nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var made struct{ PatientRequestID uuid.UUID }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusOK {
		return uuid.Nil, fmt.Errorf("answered %d, %w", response.StatusCode, err)
	}
	return made.PatientRequestID, nil
}

// send sends a patient request with more members, each with a comma before it.
func (s *program) send(ctx context.Context, more string) (*http.Response, error) {
	info := s.Info()
	if info == nil {
		return nil, fmt.Errorf("not running")
	}
	signer, err := testworld.Signer(info.Application.KID, info.Application.PrivateKeyFile)
	if err != nil {
		return nil, err
	}
	token, err := signer.Token(info.Application.ID.String(), "", clock.System())
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]%s}`, info.Patients[0].ID, more)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, info.APIURL+"/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultClient.Do(r)
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	clocktest.Eventually(t, holds, "the condition")
}
