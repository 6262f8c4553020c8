package httpapitest_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi/httpapitest"
)

const (
	ping   = "/transactional-api/ping"
	submit = "/transactional-api/create-patient-request"
	id     = "01980000-0000-7000-8000-000000000001"
)

func contract(t *testing.T) *httpapitest.Contract {
	t.Helper()
	c, err := httpapitest.NewContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Shows that the contract can fail.
func TestUndescribedAnswerIsReported(t *testing.T) {
	t.Parallel()
	c := contract(t)
	pong := `{"tenantId":"elm","applicationId":"` + id + `","mode":"application-restricted","username":null,"authorisedUntil":null}`
	refusal := func(code string) string { return `{"errors":[{"code":"` + code + `","description":"No."}]}` }
	for name, test := range map[string]struct {
		method, path string
		status       int
		edit         func(http.Header)
		body, want   string // want is a part of the error; "" for none
	}{
		"right":                      {"GET", ping, 200, nil, pong, ""},
		"right, by POST":             {"POST", ping, 200, nil, pong, ""},
		"refused":                    {"GET", ping, 403, nil, refusal("unauthorized"), ""},
		"nowhere":                    {"GET", "/", 404, nil, refusal("not-found"), ""},
		"another method":             {"PUT", ping, 405, allow, refusal("method-not-allowed"), ""},
		"invalid":                    {"POST", submit, 400, nil, refusal("empty-response"), ""},
		"a status":                   {"GET", ping, 418, nil, pong, "does not describe"},
		"an address":                 {"GET", "/transactional-api/pong", 200, nil, pong, "does not describe"},
		"405 without Allow":          {"PUT", ping, 405, nil, refusal("method-not-allowed"), "Allow"},
		"no request id":              {"GET", ping, 200, func(h http.Header) { h.Del("X-Request-Id") }, pong, "X-Request-Id"},
		"an odd request id":          {"GET", ping, 200, func(h http.Header) { h.Set("X-Request-Id", "7") }, pong, "X-Request-Id"},
		"a header more":              {"GET", ping, 200, func(h http.Header) { h.Set("X-More", "1") }, pong, "X-More"},
		"no rule":                    {"GET", ping, 403, func(h http.Header) { h.Del("Frontdesk-Rule") }, refusal("unauthorized"), "Frontdesk-Rule"},
		"another type":               {"GET", ping, 200, func(h http.Header) { h.Set("Content-Type", "text/html") }, pong, "text/html"},
		"no JSON":                    {"GET", ping, 200, nil, "pong", "no JSON"},
		"a member more":              {"GET", ping, 200, nil, strings.Replace(pong, "{", `{"more":1,`, 1), "more"},
		"a member less":              {"GET", ping, 200, nil, strings.Replace(pong, `"username":null,`, "", 1), "username"},
		"an odd value":               {"GET", ping, 200, nil, strings.Replace(pong, "application-r", "r", 1), "mode"},
		"no code at all":             {"GET", ping, 403, nil, refusal("no-such-code"), "code"},
		"a code of another endpoint": {"POST", submit, 400, nil, refusal("empty-note"), "code"},
		"a code of another status":   {"GET", ping, 403, nil, refusal("not-found"), "code"},
		"no errors":                  {"GET", ping, 403, nil, `{"errors":[]}`, "errors"},
	} {
		answer := httpapitest.Answer{Status: test.status, Header: http.Header{}, Body: []byte(test.body)}
		answer.Header.Set("Content-Type", "application/json")
		answer.Header.Set("X-Request-Id", id)
		if test.status >= http.StatusBadRequest {
			answer.Header.Set("Frontdesk-Rule", "a-rule")
		}
		if test.edit != nil {
			test.edit(answer.Header)
		}
		err := c.CheckAnswer(test.method, test.path, answer)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func allow(h http.Header) { h.Set("Allow", "GET, POST") }

func TestUndescribedBodyIsReported(t *testing.T) {
	t.Parallel()
	c := contract(t)
	const head = `{"patientId":"` + id + `","requestType":"medical","response":[{"question":"healthConcern","answer":""}],`
	for body, right := range map[string]bool{
		head + `"requester":"patient"}`:                                                        true,
		head + `"requester":"patient","proxyDetails":null}`:                                    true,
		head + `"requester":"patient","more":1}`:                                               true,
		head + `"requester":"proxy"}`:                                                          false,
		head + `"requester":"proxy","proxyDetails":null}`:                                      false,
		strings.Replace(head, "healthConcern", "requestDetails", 1) + `"requester":"patient"}`: false,
		strings.Replace(head, "medical", "admin", 1) + `"requester":"patient"}`:                false,
	} {
		if err := c.CheckAccepted("POST", submit, []byte(body)); (err == nil) != right {
			t.Errorf("%s: %v", body, err)
		}
	}
	if err := c.CheckAccepted("GET", ping, nil); err != nil {
		t.Error(err)
	}
}

func TestUndescribedWebhookIsReported(t *testing.T) {
	t.Parallel()
	c := contract(t)
	claims := func(event string) []byte {
		return []byte(`{"iss":"service","iat":1,"exp":61,"jti":"` + id + `","event":"` + event + `","tenantId":"elm",
			"data":{"patientId":"` + id + `","userName":null,"userEmail":null}}`)
	}
	if err := c.CheckWebhook("record.opened", claims("record.opened")); err != nil {
		t.Error(err)
	}
	for event, carried := range map[string]string{
		"record.opened": "consultation.started", "record.closed": "record.closed", "callin.notification.shown": "callin.notification.shown",
	} {
		if c.CheckWebhook(event, claims(carried)) == nil {
			t.Errorf("%s is as %s described", carried, event)
		}
	}
}
