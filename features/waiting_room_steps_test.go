package features_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/cucumber/godog"
	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/site"
)

// waitingRoomSteps are about programs that show who is called in.
func (w *world) waitingRoomSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the board of "([^"]*)" is right after each of (\d+) changes, although every third webhook is lost$`, w.boardIsRight)
}

// board is what a program in a waiting room shows, and the ETag of the list that it has.
type board struct {
	etag  string
	shows []uuid.UUID // appointments
}

// boardIsRight calls patients in and clears them. Every third webhook does not reach the program,
// which polls then all the same.
func (w *world) boardIsRight(app string, changes int) error {
	visits := []appointment.ID{{UUID: w.things["the appointment of Ann Archer"]}}
	for _, patient := range []string{"Bill Baker", "Cara Cole"} {
		visit, err := w.Desk.BookAppointment(w.ctx, commands.BookAppointment{
			Tenant: w.tenant(w.practice), Patient: w.patients[patient], Site: site.ID{UUID: w.things["the site of "+w.practice]}, At: w.Clock.Now(),
		})
		if err != nil {
			return err
		}
		visits = append(visits, visit)
	}
	for _, event := range []string{"callin.notification.shown", "callin.notification.removed"} {
		if err := w.receives(app, event); err != nil {
			return err
		}
	}
	var shows board
	var right []uuid.UUID
	for n := range changes {
		event := "callin.notification.shown"
		var err error
		if visit := visits[n%len(visits)]; slices.Contains(right, visit.UUID) {
			event, err = "callin.notification.removed", w.Desk.ClearCallIn(w.ctx, commands.ClearCallIn{Tenant: w.tenant(w.practice), Appointment: visit})
			right = slices.DeleteFunc(right, func(id uuid.UUID) bool { return id == visit.UUID })
		} else {
			err = w.Desk.CallInPatient(w.ctx, commands.CallInPatient{Tenant: w.tenant(w.practice), Appointment: visit})
			right = append(right, visit.UUID)
		}
		if err != nil {
			return err
		}
		if n%3 != 2 { // the third is lost: it waits for the timer instead
			if err := w.received(app, event, nil); err != nil {
				return err
			}
		}
		if err := w.polls(app, &shows, http.StatusOK); err != nil {
			return fmt.Errorf("after change %d: %w", n+1, err)
		}
		if err := w.polls(app, &shows, http.StatusNotModified); err != nil {
			return fmt.Errorf("again after change %d: %w", n+1, err)
		}
		slices.SortFunc(right, compareIDs)
		if slices.SortFunc(shows.shows, compareIDs); !slices.Equal(shows.shows, right) {
			return fmt.Errorf("after change %d the board shows %v, want %v", n+1, shows.shows, right)
		}
		if n%3 == 2 { // it is not kept for later
			if err := w.received(app, event, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func compareIDs(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

// polls fetches the list with the ETag of the last one.
func (w *world) polls(app string, b *board, want int) error {
	if err := w.call(app, http.MethodGet, "/transactional-api/called-in", "", http.Header{"If-None-Match": {b.etag}}); err != nil {
		return err
	}
	if err := w.answerIs(want); err != nil || want == http.StatusNotModified {
		return err
	}
	var list struct {
		CalledIn []struct {
			AppointmentID uuid.UUID `json:"appointmentId"`
		} `json:"calledIn"`
	}
	if err := json.Unmarshal(w.answer.body, &list); err != nil {
		return err
	}
	b.etag, b.shows = w.answer.headers.Get("ETag"), nil
	for _, c := range list.CalledIn {
		b.shows = append(b.shows, c.AppointmentID)
	}
	return nil
}
