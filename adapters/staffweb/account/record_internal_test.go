package account

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections/history"
)

// A line is described in words, without the name of a topic or an identifier.
func TestOwnLinesAreInPlainWords_D156(t *testing.T) {
	t.Parallel()
	app := uuid.NewString()
	for want, line := range map[string]history.OwnLine{
		"You saw 3 patients on the page of requests":                                   {Mode: access.ByPage, Endpoint: "requests", Patients: 3},
		"You viewed 1 patient’s access history":                                        {Mode: access.ByPage, Endpoint: "privacy-patient", Patients: 1},
		"An app asked to see who is called in for you, and was shown 2 patients":       {Mode: access.ByPage, Endpoint: application.EndpointName("called-in:" + app), Patients: 2},
		"Triage asked to add notes to patients’ care records for you, and was refused": {Mode: application.UserRestricted, Endpoint: access.CreateNote, Application: "Triage", Status: http.StatusForbidden},
		"Triage asked to cancel a patient’s call-in for you":                           {Mode: application.UserRestricted, Endpoint: access.ClearCallIn, Application: "Triage", Status: http.StatusOK},
	} {
		if got := lineText(line); got != want || strings.Contains(got, app) {
			t.Errorf("%s is described as %q, want %q", line.Endpoint, got, want)
		}
	}
}
