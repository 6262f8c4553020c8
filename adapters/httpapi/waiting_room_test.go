package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// newWaitingRoom is an API of a practice where Ann is called in, and the lines of its access record.
func newWaitingRoom(t *testing.T, caller access.Caller) (a *asked, called *[]projections.CallIn, lines *[]access.Call) {
	t.Helper()
	called, lines = &[]projections.CallIn{{
		Appointment: visit, Patient: ann, Called: "Ann Archer", Site: main, SiteName: "Elm House", Room: &room, RoomName: "Room 2", At: written,
	}}, &[]access.Call{}
	a = newAsked(t, proven(caller), func(api *httpapi.API) {
		api.Now = atWritten
		api.Record = func(c access.Call) { *lines = append(*lines, c) }
		api.WaitingRoom = httpapi.WaitingRoom{
			CalledIn: func(_ context.Context, tenant string, at site.ID, now time.Time) ([]projections.CallIn, error) {
				switch {
				case tenant != "elm-street" || !now.Equal(written):
					t.Errorf("asked about %s at %v", tenant, now)
				case at.UUID == uuid.MustParse(unknownID):
					return nil, site.ErrUnknown
				}
				return *called, nil
			},
			Sites: func(context.Context, string) ([]projections.Site, error) {
				return []projections.Site{{Site: main, Name: "Elm House", Rooms: []projections.Room{{Room: room, Name: "Room 2"}}}, {Site: main, Name: "The Annexe"}}, nil
			},
		}
	})
	return a, called, lines
}

func TestCalledInShowsTheWaitingRoom_D147(t *testing.T) {
	t.Parallel()
	a, called, lines := newWaitingRoom(t, asApplication)
	answer := a.ask(http.MethodGet, "called-in", "")
	want := `{"calledIn":[{"appointmentId":"` + appointmentID + `","patientName":"Ann Archer","siteId":"` + siteID + `","siteName":"Elm House",` +
		`"roomId":"` + roomID + `","roomName":"Room 2","calledInAt":"2026-03-02T12:00:00.345Z"}]}` + "\n"
	if answer.Code != http.StatusOK || answer.Body.String() != want {
		t.Errorf("answered %d %s, want %s", answer.Code, answer.Body, want)
	}
	if got := answer.Header().Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("Cache-Control: %s", got)
	}
	// The patients who were shown are recorded, next to the line of the call.
	if len(*lines) != 2 || !(*lines)[0].Looked() || (*lines)[0].Staff.UUID != uuid.Nil || (*lines)[1].Endpoint != "called-in" {
		t.Fatalf("recorded %+v", *lines)
	}
	if diff := cmp.Diff([]patient.ID{ann}, (*lines)[0].Patients); diff != "" {
		t.Errorf("shown are recorded as %s", diff)
	}
	if diff := cmp.Diff(event.Application(provenApp.UUID, "application-restricted", nil), (*lines)[0].Actor()); diff != "" {
		t.Errorf("shown to: %s", diff)
	}

	(*called)[0].Room, (*called)[0].RoomName = nil, ""
	if got := a.ask(http.MethodGet, "called-in?siteId="+siteID, "").Body.String(); cmp.Diff(want, got) == "" || !strings.Contains(got, `"roomId":null,"roomName":null`) {
		t.Errorf("without a room: %s", got)
	}
	*called, *lines = nil, nil
	if got := a.ask(http.MethodGet, "called-in", "").Body.String(); got != `{"calledIn":[]}`+"\n" || len(*lines) != 1 {
		t.Errorf("no one is called in: %s, recorded %+v", got, *lines)
	}
}

// A program that polls with the ETag gets no body until something changes. What it was not shown
// is not recorded as shown.
func TestUnchangedWaitingRoomIsNotShown_D147(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"called-in", "sites"} {
		a, called, lines := newWaitingRoom(t, asApplication)
		etag := a.ask(http.MethodGet, path, "").Header().Get("ETag")
		*lines = nil
		again := a.ask(http.MethodGet, path, "", "If-None-Match", etag)
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != etag || again.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: answered %d %s %v", path, again.Code, again.Body, again.Header())
		}
		if len(*lines) != 1 || (*lines)[0].Looked() || (*lines)[0].Status != http.StatusNotModified {
			t.Errorf("%s: recorded %+v", path, *lines)
		}
		*called = nil
		if changed := a.ask(http.MethodGet, path, "", "If-None-Match", etag); path == "called-in" && changed.Code != http.StatusOK {
			t.Errorf("a change is answered %d", changed.Code)
		}
	}
}

func TestWaitingRoomOfUserIsRecordedForUser_D147(t *testing.T) {
	t.Parallel()
	a, _, lines := newWaitingRoom(t, asUser)
	a.ask(http.MethodGet, "called-in", "")
	if len(*lines) != 2 || (*lines)[0].Staff != lee || (*lines)[0].Actor() != event.Staff(lee.UUID).Through(provenApp.UUID, "user-restricted", nil) {
		t.Errorf("recorded %+v", *lines)
	}
	scoped, _, lines := newWaitingRoom(t, asUserForAnn) // who may act for one patient is not shown others
	if got := scoped.ask(http.MethodGet, "called-in", ""); got.Code != http.StatusForbidden || len(*lines) != 1 {
		t.Errorf("a caller for one patient is answered %d %s, recorded %+v", got.Code, got.Body, *lines)
	}
}

func TestWaitingRoomRefusals_D147(t *testing.T) {
	t.Parallel()
	a, _, _ := newWaitingRoom(t, asApplication)
	for path, want := range map[string]string{
		"called-in?siteId=main":         `{"errors":[{"code":"invalid-query","description":"siteId must be a UUID of 36 characters."}]}`,
		"called-in?siteId=" + unknownID: `{"errors":[{"code":"site-not-found","description":"The practice has no site with this siteId."}]}`,
	} {
		if got := a.ask(http.MethodGet, path, ""); got.Code != http.StatusBadRequest || got.Body.String() != want+"\n" {
			t.Errorf("%s is answered %d %s", path, got.Code, got.Body)
		}
	}
	if got := a.ask(http.MethodGet, "sites", "").Body.String(); got != `{"sites":[{"siteId":"`+siteID+`","name":"Elm House","rooms":[{"roomId":"`+roomID+`","name":"Room 2"}]},{"siteId":"`+siteID+`","name":"The Annexe","rooms":[]}]}`+"\n" {
		t.Errorf("sites are %s", got)
	}
}
