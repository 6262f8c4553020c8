package features_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/testworld"
)

// callSteps are about valid and invalid API calls.
func (w *world) callSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" submits (?:this|a patient request):$`, w.submits)
	sc.Step(`^"([^"]*)" submits a patient request for "([^"]*)"$`, w.submitsFor)
	sc.Step(`^"([^"]*)" submits a patient request for "([^"]*)" on behalf of "([^"]*)"$`, w.submitsAs)
	sc.Step(`^"([^"]*)" pings$`, w.pings)
	sc.Step(`^"([^"]*)" pings on behalf of "([^"]*)"$`, w.pingsAs)
	sc.Step(`^"([^"]*)" calls (GET|POST|PUT|DELETE) (\S+)$`, w.calls)
	sc.Step(`^somebody calls (GET|POST|PUT|DELETE) (\S+) with these headers:$`, w.callsBare)
	sc.Step(`^"([^"]*)" calls (GET|POST) (\S+) with these headers:$`, w.callsWithHeaders)

	sc.Step(`^the next token (?:has|carries) the claim (\S+) = (.*)$`, w.withClaim)
	sc.Step(`^the next token has no claim (\S+)$`, w.withoutClaim)
	sc.Step(`^the next token has the header (\S+) = (.*)$`, w.withHeader)
	sc.Step(`^the next token has no header (\S+)$`, w.withoutHeader)
	sc.Step(`^the next token was issued (\S+) (ago|ahead) and lasts (\S+)$`, w.issued)
}

const submitPath = "/transactional-api/create-patient-request"

func (w *world) submits(app string, body *godog.DocString) error {
	return w.call(app, http.MethodPost, submitPath, w.filled(body.Content), http.Header{"Content-Type": {"application/json"}})
}

// soundBody is a valid patient request.
func (w *world) soundBody(patient string) string {
	return w.filled(fmt.Sprintf(`{"patientId": "<%s>", "requestType": "medical", "requester": "patient",
		"response": [{"question": "healthConcern", "answer": "A cough that will not go away"}]}`, patient))
}

func (w *world) submitsFor(app, patient string) error {
	return w.call(app, http.MethodPost, submitPath, w.soundBody(patient), nil)
}

func (w *world) submitsAs(app, patient, member string) error {
	w.token = append(w.token, bearertest.As(w.usernames[member]))
	return w.submitsFor(app, patient)
}

func (w *world) pings(app string) error {
	return w.call(app, http.MethodGet, "/transactional-api/ping", "", nil)
}

func (w *world) pingsAs(app, member string) error {
	w.token = append(w.token, bearertest.As(w.usernames[member]))
	return w.pings(app)
}

func (w *world) calls(app, method, path string) error { return w.call(app, method, path, "", nil) }

func (w *world) callsWithHeaders(app, method, path string, table *godog.Table) error {
	return w.call(app, method, path, "", headersOf(table))
}

func (w *world) callsBare(method, path string, table *godog.Table) error {
	return w.send(method, path, "", headersOf(table))
}

func headersOf(table *godog.Table) http.Header {
	headers := http.Header{}
	for _, row := range table.Rows {
		headers.Add(row.Cells[0].Value, row.Cells[1].Value)
	}
	return headers
}

func (w *world) withClaim(name, value string) error {
	var decoded any
	if err := json.Unmarshal([]byte(w.filled(value)), &decoded); err != nil {
		return fmt.Errorf("the claim's value is no JSON: %w", err)
	}
	w.token = append(w.token, bearertest.Claim(name, decoded))
	return nil
}

func (w *world) withoutClaim(name string) error {
	w.token = append(w.token, bearertest.Without(name))
	return nil
}

func (w *world) withHeader(name, value string) error {
	var decoded any
	if err := json.Unmarshal([]byte(value), &decoded); err != nil {
		return fmt.Errorf("the header's value is no JSON: %w", err)
	}
	w.token = append(w.token, bearertest.Header(name, decoded))
	return nil
}

func (w *world) withoutHeader(name string) error {
	w.token = append(w.token, bearertest.WithoutHeader(name))
	return nil
}

func (w *world) issued(ago, direction, lifetime string) error {
	away, err := time.ParseDuration(ago)
	if err != nil {
		return err
	}
	lasts, err := time.ParseDuration(lifetime)
	if err != nil {
		return err
	}
	if direction == "ago" {
		away = -away
	}
	iat := w.Clock.Now().Add(away)
	w.token = append(w.token, bearertest.Claim("iat", seconds(iat)), bearertest.Claim("exp", seconds(iat.Add(lasts))))
	return nil
}

// seconds is a NumericDate with its fraction.
func seconds(t time.Time) json.Number {
	return json.Number(strings.TrimSuffix(fmt.Sprintf("%d.%03d", t.Unix(), t.Nanosecond()/1e6), ".000"))
}

// call sends a call with a token of the application, with the changes of earlier steps.
func (w *world) call(name, method, path, body string, headers http.Header) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	if headers == nil {
		headers = http.Header{}
	}
	signer := app.Application
	if w.forged {
		signer.Key = bearertest.StrangersKey()
	}
	headers.Set("Authorization", "Bearer "+signer.Token(w.Clock.Now(), w.token...))
	w.token, w.forged = nil, false
	return w.send(method, path, body, headers)
}

// send calls the practice of the last step.
func (w *world) send(method, path, body string, headers http.Header) error {
	w.sent = sent{method, path, body, headers}
	ctx, cancel := context.WithTimeout(w.ctx, stepLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, w.URL()+w.filled(path), strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header, r.Host = headers, w.tenant(w.practice)+"."+testworld.APIDomain
	if host := headers.Get("Host"); host != "" {
		r.Host = host
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if w.answer, err = read(response); err != nil {
		return err
	}
	w.answers = append(w.answers, w.answer)
	return checkContract(r, body, w.answer)
}
