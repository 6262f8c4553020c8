package httpapi

import (
	"net/http"
	"time"

	"frontdesk/domain/application"
)

// pong tells a caller how the service sees it (D16).
type pong struct {
	TenantID        string           `json:"tenantId"`
	ApplicationID   application.ID   `json:"applicationId"`
	Mode            application.Mode `json:"mode"`
	Username        *string          `json:"username"`
	AuthorisedUntil *time.Time       `json:"authorisedUntil"`
}

// ping is §4.2, as D16 fills it in.
func (a *API) ping(w http.ResponseWriter, _ *http.Request, caller judged, _ struct{}) error {
	body := pong{TenantID: caller.Tenant, ApplicationID: caller.Application, Mode: caller.Mode}
	if caller.Mode == application.UserRestricted {
		body.Username, body.AuthorisedUntil = &caller.Username, &caller.AuthorisedUntil
	}
	answer(w, http.StatusOK, body)
	return nil
}
