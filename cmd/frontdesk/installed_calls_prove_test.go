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
	application bearertest.Application
	patient     string
}

// newInstalledCalls makes a practice, an application and a patient with the machine's own program.
func newInstalledCalls(m *installed, helpers string) installedCalls {
	m.t.Helper()
	keys := bearertest.NewServer(nil)
	m.t.Cleanup(keys.Close)
	said := m.do(helpers + `
export FRONTDESK_DATABASE_URL=postgres://frontdesk_app@127.0.0.1/frontdesk PGPASSWORD=$(password serve) FRONTDESK_ALLOW_NETWORK=127.0.0.0/8
export FRONTDESK_MASTER_KEY_FILE=/etc/frontdesk/master.key
frontdesk register-practice --tenant elm-street --name 'Elm Street Surgery' >&2
application=$(frontdesk register-application --name Referrals --jwks-url ` + keys.URL + ` --json)
id=$(sed -n 's/.*"applicationId":"\([^"]*\)".*/\1/p' <<< "$application")
frontdesk grant-endpoint --application $id --endpoint create-patient-request --mode application-restricted >&2
frontdesk enable-application --tenant elm-street --application $id >&2
echo "$application"
frontdesk register-patient --tenant elm-street --name 'Ann Archer' --json`)
	var made struct {
		ApplicationID uuid.UUID
		PatientID     string
	}
	for line := range strings.Lines(said) {
		if err := json.Unmarshal([]byte(line), &made); err != nil {
			m.t.Fatalf("%s: %v", said, err)
		}
	}
	calls := installedCalls{m, bearertest.NewApplication(application.ID{UUID: made.ApplicationID}), made.PatientID}
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
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "http://127.0.0.1:8080/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Host = "elm-street.api.example.org"
	r.Header.Set("Authorization", "Bearer "+c.application.Token(clock.System()))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
