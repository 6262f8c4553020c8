package features_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/cucumber/godog"
)

// requestSteps are about the practice's work on requests, by its pages.
func (w *world) requestSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the inbox of "([^"]*)" comes to show "([^"]*)" under "([^"]*)"$`, w.inboxShows)
	sc.Step(`^"([^"]*)" looks at the request$`, w.looksAtRequest)
	sc.Step(`^"([^"]*)" does "([^"]*)" to the request$`, func(name, do string) error { return w.handles(name, do, "", "") })
	sc.Step(`^"([^"]*)" does "([^"]*)" to the request, having written "([^"]*)"$`, func(name, do, text string) error { return w.handles(name, do, text, "") })
	sc.Step(`^"([^"]*)" does "([^"]*)" to the request, having chosen "([^"]*)"$`, func(name, do, chosen string) error { return w.handles(name, do, "", chosen) })
	sc.Step(`^"([^"]*)" does "([^"]*)" to the request, having written "([^"]*)" and chosen "([^"]*)"$`, w.handles)
	sc.Step(`^"([^"]*)" sends the same form again$`, w.sendsAgain)
	sc.Step(`^"([^"]*)" moves the request to "([^"]*)", because "([^"]*)"$`, w.moves)
	sc.Step(`^"([^"]*)" opens file (\d) of the request$`, w.opensFile)
	sc.Step(`^the file is what was sent, is "([^"]*)" and may do nothing$`, w.fileIsSafe)
	sc.Step(`^the page does not say "([^"]*)"$`, w.pageDoesNotSay)
}

// handling is the pages of a request that people have open.
type handling struct {
	forms map[string]url.Values // by member of staff
	sent  url.Values            // last
	n     int                   // of the file last opened, from 1
	file  http.Header
	body  []byte
}

// inboxShows waits, because the inbox follows the log.
func (w *world) inboxShows(name, text, tab string) error {
	return w.comesToSay(func() error { return w.browser(name).get("requests?tab=" + tab) }, text)
}

// requestPage is the address of the request last submitted, below a practice's pages.
func (w *world) requestPage() (string, error) {
	submitted, err := w.last("patient-request.submitted.v1")
	return "requests/" + submitted.Stream.ID.String(), err
}

// looksAtRequest opens the request, and keeps its form.
func (w *world) looksAtRequest(name string) error {
	page, err := w.requestPage()
	if err != nil {
		return err
	}
	if err := w.browser(name).get(page); err != nil {
		return err
	}
	return w.keepForm(name)
}

func (w *world) keepForm(name string) error {
	form := url.Values{}
	if w.handling.forms == nil {
		w.handling.forms = map[string]url.Values{}
	}
	for _, found := range forms.FindAllStringSubmatch(w.page, -1) {
		if strings.Contains(found[1], "/requests/") {
			for _, field := range hidden.FindAllStringSubmatch(found[0], -1) {
				form.Set(field[1], field[2])
			}
		}
	}
	w.handling.forms[name] = form
	return nil
}

// handles sends the form that a member has open. The answer's page is open then.
func (w *world) handles(name, do, text, chosen string) error {
	page, err := w.requestPage()
	if err != nil {
		return err
	}
	sent := url.Values{"do": {do}, "text": {text}, "outcome": {chosen}}
	if username, member := w.usernames[chosen]; member {
		id, err := w.Staff.AnyStaffByUsername(w.ctx, w.tenant(w.practice), username)
		if err != nil {
			return err
		}
		sent.Set("to", id.String())
	}
	for _, field := range []string{"token", "seen"} {
		sent.Set(field, w.handling.forms[name].Get(field))
	}
	w.handling.sent = sent
	if err := w.browser(name).send("/"+w.tenant(w.practice)+"/staff/"+page, sent); err != nil {
		return err
	}
	return w.keepForm(name)
}

// sendsAgain sends the last form again, unchanged.
func (w *world) sendsAgain(name string) error {
	page, err := w.requestPage()
	if err != nil {
		return err
	}
	return w.browser(name).send("/"+w.tenant(w.practice)+"/staff/"+page, w.handling.sent)
}

// moves searches for the patient, and chooses them.
func (w *world) moves(name, patient, reason string) error {
	page, err := w.requestPage()
	if err != nil {
		return err
	}
	b := w.browser(name)
	if err := b.fill(page+"/patient", "find", url.Values{"find": {strings.ToLower(patient[:4])}}); err != nil {
		return err
	}
	if err := errors.Join(w.keepForm(name), w.pageSays(patient)); err != nil {
		return err
	}
	sent := w.handling.forms[name]
	sent.Set("do", "move")
	sent.Set("to", w.patients[patient].String())
	sent.Set("text", reason)
	return b.send("/"+w.tenant(w.practice)+"/staff/"+page+"/patient", sent)
}

func (w *world) opensFile(name string, n int) error {
	page, err := w.requestPage()
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(w.ctx, http.MethodGet, fmt.Sprintf("%s%s/attachments/%d", w.pages(), page, n), http.NoBody)
	if err != nil {
		return err
	}
	answer, err := w.browser(name).Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	w.handling.n, w.handling.file = n, answer.Header
	w.handling.body, err = io.ReadAll(answer.Body)
	w.page = string(w.handling.body)
	return err
}

func (w *world) fileIsSafe(how string) error {
	header := w.handling.file
	disposition, policy := header.Get("Content-Disposition"), header.Get("Content-Security-Policy")
	if !bytes.Equal(w.handling.body, w.files[w.handling.n-1]) || !strings.HasPrefix(disposition, how) ||
		!strings.HasPrefix(policy, "sandbox; default-src 'none'") || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Cache-Control") != "no-store" {
		return fmt.Errorf("%d bytes, %v", len(w.handling.body), header)
	}
	return nil
}

func (w *world) pageDoesNotSay(text string) error {
	if strings.Contains(w.page, text) {
		return fmt.Errorf("the page is %s", w.page)
	}
	return nil
}
