package httpapi

import (
	"net/http"
	"time"

	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// availability is one request type as the patient portal shows it (D24).
type availability struct {
	RequestType request.Type    `json:"requestType"`
	Status      practice.Status `json:"status"`
	NextOpening *time.Time      `json:"nextOpening"`
}

// requestTypeAvailability is D24: what the patient portal asks.
func (a *API) requestTypeAvailability(w http.ResponseWriter, r *http.Request, caller judged, _ struct{}) error {
	types, err := a.RequestTypes(r.Context(), caller.Tenant, a.Now())
	if err != nil {
		return err
	}
	body := make([]availability, len(types))
	for i, t := range types {
		body[i] = availability{RequestType: t.Type, Status: t.Status}
		if !t.NextOpening.IsZero() {
			body[i].NextOpening = &t.NextOpening
		}
	}
	answer(w, http.StatusOK, map[string][]availability{"requestTypes": body})
	return nil
}
