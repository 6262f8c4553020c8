package features_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cucumber/godog"
	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// clinicalSteps are about records and the practice's day.
func (w *world) clinicalSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" is granted everything$`, w.grantedEverything)
	sc.Step(`^"([^"]*)" has an appointment$`, w.anAppointment)
	sc.Step(`^"([^"]*)" calls POST (\S+) with this:$`, w.posts)
	sc.Step(`^"([^"]*)" calls (GET|POST) (.*) on behalf of "([^"]*)"$`, w.callsAs)
	sc.Step(`^"([^"]*)" calls GET (/[^"]*\?[^"]*)$`, w.gets)
	sc.Step(`^the answer is (\d+) with a noteId$`, w.answerHasNote)
	sc.Step(`^the answer tells of the note "([^"]*)"$`, w.answerTells)
}

func (w *world) grantedEverything(name string) error {
	for _, endpoint := range access.Grantable() {
		for _, mode := range []application.Mode{application.ApplicationRestricted, application.UserRestricted} {
			if err := w.granted(name, string(endpoint)+":"+string(mode)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) anAppointment(patient string) error {
	tenant := w.tenant(w.practice)
	site, err := w.Desk.AddSite(w.ctx, commands.AddSite{Tenant: tenant, Name: "Main building"})
	if err != nil {
		return err
	}
	w.appointment, err = w.Desk.BookAppointment(w.ctx, commands.BookAppointment{
		Tenant: tenant, Patient: w.patients[patient], Site: site, At: w.Clock.Now().Add(time.Hour),
	})
	return err
}

func (w *world) posts(app, path string, body *godog.DocString) error {
	return w.call(app, http.MethodPost, path, w.filled(body.Content), nil)
}

func (w *world) gets(app, path string) error { return w.calls(app, http.MethodGet, path) }

func (w *world) callsAs(app, method, path, member string) error {
	w.token = append(w.token, bearertest.As(w.usernames[member]))
	return w.calls(app, method, path)
}

func (w *world) answerHasNote(status int) error {
	if err := w.answerIs(status); err != nil {
		return err
	}
	var made map[string]uuid.UUID
	if err := json.Unmarshal(w.answer.body, &made); err != nil || len(made) != 1 || made["noteId"] == uuid.Nil {
		return fmt.Errorf("the answer is %s, %w", w.answer.body, err)
	}
	return nil
}

func (w *world) answerTells(note string) error {
	var record struct{ Notes []struct{ Note string } }
	if err := json.Unmarshal(w.answer.body, &record); err != nil {
		return err
	}
	if !slices.ContainsFunc(record.Notes, func(n struct{ Note string }) bool { return n.Note == note }) {
		return fmt.Errorf("the answer is %s", w.answer.body)
	}
	return nil
}
