//go:build prove

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/application"
)

// installedCalls calls the service of a machine as an application does.
type installedCalls struct {
	*installed
	client      *http.Client
	application bearertest.Application
	patient     string
}

// newInstalledCalls makes an application of the page's practice, and a patient, with the
// machine's own program. It calls from outside, by TLS.
func newInstalledCalls(m *installed, outside authority) installedCalls {
	m.t.Helper()
	keys := bearertest.NewServer(nil)
	m.t.Cleanup(keys.Close)
	said := m.do(`export FRONTDESK_ALLOW_NETWORK=127.0.0.0/8
application=$(frontdesk application register --name Referrals --jwks-url ` + keys.URL + ` --json)
id=$(sed -n 's/.*"applicationId":"\([^"]*\)".*/\1/p' <<< "$application")
frontdesk application grant --application $id --endpoint create-patient-request --mode application-restricted >&2
frontdesk application enable --tenant elm-street --application $id >&2
echo "$application"
frontdesk patient register --tenant elm-street --name 'Ann Archer' --json`)
	var made struct {
		ApplicationID uuid.UUID
		PatientID     string
	}
	for line := range strings.Lines(said) {
		if err := json.Unmarshal([]byte(line), &made); err != nil {
			m.t.Fatalf("%s: %v", said, err)
		}
	}
	calls := installedCalls{m, outside.client, bearertest.NewApplication(application.ID{UUID: made.ApplicationID}), made.PatientID}
	keys.Publish(calls.application.JWKS())
	return calls
}

// answered waits for an answer to a call: that it is stored.
func (c installedCalls) answered() {
	c.t.Helper()
	var status int
	waitFor(c.t, func() bool { status = c.call(); return status != http.StatusServiceUnavailable && status != 0 })
	if status != http.StatusOK {
		c.t.Fatalf("answered %d", status)
	}
}

// call returns the status of the answer, 0 without a listener.
func (c installedCalls) call() int {
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, c.patient)
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "https://elm-street.api.example.org/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.application.Token(clock.System()))
	response, err := c.client.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
