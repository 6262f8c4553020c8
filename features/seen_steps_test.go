package features_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"
	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

const ownCallsPath = "/transactional-api/application/calls"

// seenSteps are about the pages of an application's own calls and webhooks.
func (w *world) seenSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" looks for that call$`, w.looksForCall)
	sc.Step(`^"([^"]*)" asks for its (calls|deliveries) with (\S+)$`, func(name, list, query string) error {
		return w.calls(name, http.MethodGet, "/transactional-api/application/"+list+"?"+query)
	})
	sc.Step(`^the access record has no call that was looked for$`, w.notRecorded)
	sc.Step(`^"([^"]*)" and "([^"]*)" note what they are shown$`, w.noteShown)
	sc.Step(`^"([^"]*)" and "([^"]*)" are shown the same, but for calls that are unproven$`, w.shownTheSame)
	sc.Step(`^strangers send (\d+) forged tokens in the name of "([^"]*)"$`, w.flood)
	sc.Step(`^"([^"]*)" is shown (\d+) calls that are unproven$`, w.shownUnproven)
	sc.Step(`^"([^"]*)" opens the record of "([^"]*)" on behalf of "([^"]*)"$`, w.opensRecordAs)
	sc.Step(`^the answer names nobody$`, w.namesNoPerson)
	sc.Step(`^the answer has (\d+) of (\S+)$`, w.answerCounts)
	sc.Step(`^"([^"]*)" pings (\d+) times$`, w.pingsOften)
	sc.Step(`^"([^"]*)" pages through those calls by (\d+), and each page finds it pinging again$`, w.pagesWhilePinging)
	sc.Step(`^the webhooks of "([^"]*)" are sent elsewhere$`, w.sendsElsewhere)
}

// shownCall is a call as its application sees it.
type shownCall struct {
	RequestID string
	Unproven  bool
}

type shownCalls struct {
	Calls []shownCall
	Next  string
}

// asksForCalls fetches a page of calls.
func (w *world) asksForCalls(name string, query url.Values) (page shownCalls, err error) {
	if err := w.calls(name, http.MethodGet, ownCallsPath+"?"+query.Encode()); err != nil {
		return page, err
	}
	if w.answer.status != http.StatusOK {
		return page, fmt.Errorf("answered %d %s", w.answer.status, w.answer.body)
	}
	err = json.Unmarshal(w.answer.body, &page)
	return page, err
}

// looksForCall waits until the last call is listed: lines are written after the
// answers.
func (w *world) looksForCall(name string) error {
	w.own.lookedFor = w.lastRequest()
	return eventually(func() error {
		page, err := w.asksForCalls(name, url.Values{"requestId": {w.own.lookedFor.String()}})
		if err == nil && len(page.Calls) != 1 {
			err = fmt.Errorf("call %s is not shown", w.own.lookedFor)
		}
		return err
	})
}

// notRecorded waits for the line of the call that lists calls: an earlier one would be
// there.
func (w *world) notRecorded() error {
	if _, err := w.recorded(w.lastRequest()); err != nil {
		return err
	}
	found, err := w.lines(w.own.lookedFor)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("it has %+v", found)
	}
	return err
}

// shownOf is all that an application sees of its calls, without those that are
// unproven.
func (w *world) shownOf(name string) (text string, err error) {
	for _, query := range []string{"", "status=answered", "status=refused"} {
		if err := w.calls(name, http.MethodGet, ownCallsPath+"?"+query); err != nil {
			return "", err
		}
		var page struct {
			Calls []map[string]any
			Next  any
		}
		if err := json.Unmarshal(w.answer.body, &page); err != nil {
			return "", err
		}
		page.Calls = slices.DeleteFunc(page.Calls, func(c map[string]any) bool { return c["unproven"] == true })
		text += fmt.Sprintln(page)
	}
	for _, path := range []string{"application", "application/deliveries"} {
		if err := w.calls(name, http.MethodGet, "/transactional-api/"+path); err != nil {
			return "", err
		}
		text += string(w.answer.body)
	}
	return text, nil
}

func (w *world) noteShown(one, other string) error {
	w.own.shownBefore = map[string]string{}
	for _, name := range []string{one, other} {
		var err error
		if w.own.shownBefore[name], err = w.shownOf(name); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) shownTheSame(one, other string) error {
	for _, name := range []string{one, other} {
		now, err := w.shownOf(name)
		if err != nil {
			return err
		}
		if now != w.own.shownBefore[name] || !strings.Contains(now, "ping") {
			return fmt.Errorf("%s was shown\n%s\nand is shown\n%s", name, w.own.shownBefore[name], now)
		}
	}
	return nil
}

// flood sends tokens of every kind with invalid signatures.
func (w *world) flood(n int, name string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	stranger := app.Application
	stranger.Key = bearertest.StrangersKey()
	now := w.Clock.Now()
	tokens := []string{
		stranger.Token(now), stranger.Token(now.Add(-time.Hour)), stranger.Token(now, bearertest.Header("alg", "none")),
		stranger.Token(now, bearertest.Header("kid", "nobody's")), stranger.Token(now, bearertest.Without("exp")),
	}
	for i := range n {
		token := tokens[i%len(tokens)]
		if err := w.send(http.MethodGet, "/transactional-api/ping", "", http.Header{"Authorization": {"Bearer " + token}}); err != nil {
			return err
		}
		if w.answer.status != http.StatusForbidden {
			return fmt.Errorf("a forged token is answered %d", w.answer.status)
		}
	}
	return nil
}

func (w *world) shownUnproven(name string, want int) error {
	seen, query := map[string]bool{}, url.Values{"status": {"unproven"}, "limit": {"200"}}
	for {
		page, err := w.asksForCalls(name, query)
		if err != nil {
			return err
		}
		for _, c := range page.Calls {
			if seen[c.RequestID] = true; !c.Unproven {
				return fmt.Errorf("%s is shown as unproven", c.RequestID)
			}
		}
		if page.Next == "" {
			break
		}
		query.Set("cursor", page.Next)
	}
	if len(seen) != want {
		return fmt.Errorf("%d are shown, want %d", len(seen), want)
	}
	return nil
}

func (w *world) opensRecordAs(name, patient, member string) error {
	w.token = append(w.token, bearertest.As(w.usernames[member]))
	body := w.filled(fmt.Sprintf(`{"patientId": "<%s>"}`, patient))
	if err := w.call(name, http.MethodPost, "/transactional-api/open-care-record", body, http.Header{"Content-Type": {"application/json"}}); err != nil {
		return err
	}
	return w.answerIs(http.StatusOK)
}

// namesNoPerson checks that the answer contains no patients and staff, by name or by
// identifier.
func (w *world) namesNoPerson() error {
	var names []string
	for name, id := range w.patients {
		names = append(names, name, id.String())
	}
	for name, username := range w.usernames {
		id, err := w.Staff.StaffByUsername(w.ctx, w.tenant("Elm Street"), username)
		if err != nil {
			return err
		}
		names = append(names, name, username, id.String())
	}
	for _, name := range names {
		if bytes.Contains(bytes.ToLower(w.answer.body), []byte(strings.ToLower(name))) {
			return fmt.Errorf("%s is named in %s", name, w.answer.body)
		}
	}
	return nil
}

func (w *world) answerCounts(want int, list string) error {
	var page map[string]any
	if err := json.Unmarshal(w.answer.body, &page); err != nil {
		return err
	}
	if found, ok := page[list].([]any); !ok || len(found) != want {
		return fmt.Errorf("there are not %d: %s", want, w.answer.body)
	}
	return nil
}

func (w *world) pingsOften(name string, times int) error {
	w.own.pinged = nil
	for range times {
		if err := w.pings(name); err != nil {
			return err
		}
		w.own.pinged = append(w.own.pinged, w.lastRequest())
	}
	return w.looksForCall(name)
}

func (w *world) pagesWhilePinging(name string, limit int) error {
	var got []string
	query := url.Values{"limit": {fmt.Sprint(limit)}}
	for {
		page, err := w.asksForCalls(name, query)
		if err != nil {
			return err
		}
		for _, c := range page.Calls {
			got = append(got, c.RequestID)
		}
		if page.Next == "" {
			break
		}
		if err := w.pings(name); err != nil {
			return err
		}
		if err := w.looksForCall(name); err != nil {
			return err
		}
		query.Set("cursor", page.Next)
	}
	var want []string
	for _, id := range slices.Backward(w.own.pinged) {
		want = append(want, id.String())
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the pages have %v, want %v", got, want)
	}
	return nil
}

// sendsElsewhere registers another address, with another receiver.
func (w *world) sendsElsewhere(name string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	other, err := receiver.Listen(w.ctx, "127.0.0.1:0", w.Authority, http.NotFoundHandler(), clock.System())
	if err != nil {
		return err
	}
	return w.Desk.SetWebhook(w.ctx, commands.SetWebhook{Application: app.ID, Event: application.RecordOpened, URL: other.URL()})
}

// ownShown is the shown data that steps remember.
type ownShown struct {
	lookedFor   uuid.UUID
	shownBefore map[string]string
	pinged      []uuid.UUID
}
