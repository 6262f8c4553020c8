package httpapi

import (
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// errMissingContact refuses a body that leaves details out: the call replaces all of them.
var errMissingContact = fault.New(fault.Invalid, "missing-contact-detail",
	"Give telephone, email and nhsNumber, each a text or null: the call replaces all three.")

func (a *API) patients() table {
	return table{access.SetContactDetails: a.post(members("patientId", "telephone", "email", "nhsNumber"), a.setContactDetails)}
}

// setContactDetails is POST {patientId, telephone, email, nhsNumber} → {patientId}.
func (a *API) setContactDetails(r *http.Request, caller judged, f *body.Form) (any, error) {
	for _, name := range []string{"telephone", "email", "nhsNumber"} {
		if !f.Has(name) {
			f.Add(errMissingContact)
			break
		}
	}
	c := commands.SetContactDetails{
		Tenant: caller.Tenant, Patient: caller.patient,
		Contact: patient.Contact{Telephone: f.Text("telephone"), Email: f.Text("email"), NHSNumber: f.Text("nhsNumber")},
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := caller.desk.SetContactDetails(r.Context(), c); err != nil {
		return nil, err
	}
	return map[string]patient.ID{"patientId": caller.patient}, nil
}
