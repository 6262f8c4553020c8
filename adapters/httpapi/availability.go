package httpapi

import (
	"net/http"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// requestTypeAvailability is GET → {requestTypes}. Patient portals ask it.
func (a *API) requestTypeAvailability(r *http.Request, caller judged, _ *body.Form) (any, error) {
	types, err := a.RequestTypes(r.Context(), caller.Tenant, a.Now())
	if err != nil {
		return nil, err
	}
	body := make([]availability, len(types))
	for i, t := range types {
		body[i] = availability{RequestType: t.Type, Status: t.Status}
		if !t.NextOpening.IsZero() {
			body[i].NextOpening = &t.NextOpening
		}
	}
	return map[string][]availability{"requestTypes": body}, nil
}

// availability is one request type as a patient portal shows it.
type availability struct {
	RequestType request.Type    `json:"requestType"`
	Status      practice.Status `json:"status"`
	NextOpening *time.Time      `json:"nextOpening"`
}
