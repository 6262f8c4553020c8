package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// WaitingRoom finds what the webhooks about call-ins hint at (D147). All fields are needed.
type WaitingRoom struct {
	// CalledIn returns the patients who are called in today, newest first: at a site, or at
	// all sites if it is zero. It includes everything that was appended before the call.
	CalledIn func(ctx context.Context, tenant string, at site.ID, now time.Time) ([]projections.CallIn, error)
	// Sites returns the practice's sites and rooms, by name.
	Sites func(ctx context.Context, tenant string) ([]projections.Site, error)
}

func (a *API) waitingRoom() table {
	return table{
		access.CalledIn: {http.MethodGet: a.handle(query(body.ErrInvalidQuery, "siteId"), tagged(a.calledIn))},
		access.Sites:    {http.MethodGet: a.handle(query(nil), tagged(a.sites))},
	}
}

// tagged makes an answer with an entity tag, so that a program which polls need not read it
// again. [API.answer] compares the tag with If-None-Match.
func tagged(answer answerer) maker {
	return func(r *http.Request, caller judged, form *body.Form) ([]byte, error) {
		callOf(r.Context()).tagged = true
		return encoded(answer(r, caller, form))
	}
}

// calledInBody has the fields of the webhook callin.notification.shown, and the room's identifier.
type calledInBody struct {
	AppointmentID appointment.ID `json:"appointmentId"`
	PatientName   string         `json:"patientName"`
	SiteID        site.ID        `json:"siteId"`
	SiteName      string         `json:"siteName"`
	RoomID        *site.RoomID   `json:"roomId"`
	RoomName      *string        `json:"roomName"`
	CalledInAt    Instant        `json:"calledInAt"`
}

// calledIn is GET ?siteId= → {calledIn}.
func (a *API) calledIn(r *http.Request, caller judged, f *body.Form) (any, error) {
	at := site.ID{UUID: f.OptionalID("siteId", body.InvalidParameter("siteId"))}
	if err := f.Err(); err != nil {
		return nil, err
	}
	found, err := a.WaitingRoom.CalledIn(r.Context(), caller.Tenant, at, a.Now())
	if err != nil {
		return nil, fmt.Errorf("find who is called in: %w", err)
	}
	shown, patients := []calledInBody{}, make([]patient.ID, len(found))
	for n, c := range found {
		patients[n] = c.Patient
		shown = append(shown, calledInBody{c.Appointment, c.Called, c.Site, c.SiteName, c.Room, orNull(c.RoomName), Instant(c.At)})
	}
	callOf(r.Context()).shown = patients
	return map[string][]calledInBody{"calledIn": shown}, nil
}

// recordShown adds the patients of an answer to the access record.
func (a *API) recordShown(r *http.Request) {
	if c := callOf(r.Context()); len(c.shown) > 0 && a.Record != nil {
		a.Record(access.ShownTo(event.NewID(), a.Now(), c.line.Caller, c.shown, c.things...))
	}
}

type siteBody struct {
	SiteID site.ID    `json:"siteId"`
	Name   string     `json:"name"`
	Rooms  []roomBody `json:"rooms"`
}

type roomBody struct {
	RoomID site.RoomID `json:"roomId"`
	Name   string      `json:"name"`
}

// sites is GET → {sites}.
func (a *API) sites(r *http.Request, caller judged, _ *body.Form) (any, error) {
	found, err := a.WaitingRoom.Sites(r.Context(), caller.Tenant)
	if err != nil {
		return nil, err
	}
	all := []siteBody{}
	for _, s := range found {
		one := siteBody{s.Site, s.Name, []roomBody{}}
		for _, room := range s.Rooms {
			one.Rooms = append(one.Rooms, roomBody{room.Room, room.Name})
		}
		all = append(all, one)
	}
	return map[string][]siteBody{"sites": all}, nil
}
