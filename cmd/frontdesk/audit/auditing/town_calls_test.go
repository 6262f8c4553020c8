package auditing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/access"
)

// madeCall is a call, and its answer.
type madeCall struct {
	id           uuid.UUID
	username     string // "" of an application-restricted call
	sound        bool   // its token is: the signature holds
	status       int
	code, reason string // of the first refusal
}

// caller makes calls, and changes their dependencies.
type caller struct {
	*town
	random *rand.Rand
}

// call calls any endpoint of any practice, by any application, for any user.
func (c caller) call(ctx context.Context, sound bool) error {
	c.moving.RLock()
	defer c.moving.RUnlock()
	integrator := one(c.random, c.applications...)
	m := madeCall{sound: sound, username: one(c.random, townUsers...)}
	r, err := c.request(ctx, one(c.random, townTenants...))
	if err != nil {
		return err
	}
	if c.random.IntN(25) == 0 {
		r.Host = "nobody.frontdesk.test"
	}
	r.Header.Set("Authorization", "Bearer "+c.token(integrator, m))
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return c.note(m, response)
}

// note remembers an answer.
func (w *town) note(m madeCall, response *http.Response) error {
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	if err := w.described(response, text); err != nil {
		return err
	}
	var body struct {
		Errors []struct{ Code, Description string }
	}
	if err := json.Unmarshal(text, &body); err != nil && response.StatusCode != http.StatusNotModified {
		return fmt.Errorf("read an answer: %w", err)
	}
	id, err := uuid.Parse(response.Header.Get("X-Request-Id"))
	if err != nil {
		return fmt.Errorf("read a request id: %w", err)
	}
	m.id, m.status = id, response.StatusCode
	if len(body.Errors) > 0 {
		m.code, m.reason = body.Errors[0].Code, body.Errors[0].Description
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, m)
	return nil
}

// described returns how an answer, with its headers, differs from the OpenAPI description.
func (w *town) described(response *http.Response, text []byte) error {
	contract, err := described()
	if err != nil {
		return err
	}
	return contract.CheckAnswer(response.Request.Method, response.Request.URL.Path, httpapitest.Answer{Status: response.StatusCode, Header: response.Header, Body: text})
}

var described = sync.OnceValues(httpapitest.NewContract)

// The endpoints and users of calls: those with more rules occur more often.
var (
	townEndpoints = append(access.Grantable(), access.Ping, access.Application, access.KeySet, access.TestWebhook, access.CreatePatientRequest,
		access.CreateNote, access.OpenCareRecord, access.RetrieveCareRecord,
		access.CreateNote, access.OpenCareRecord, access.RetrieveCareRecord)
	townUsers = append(townStaff, "kim", "kim", "", "", "", "nobody")
)

// Bodies for every endpoint, which reads only the fields that it knows (D19). Two are wrong:
// a name in another case, a broken text.
const (
	goodBody   = "{" + members
	oddBody    = `{"PATIENTID":"",` + members
	brokenBody = "[" + members
	members    = `"patientId":%q,"appointmentId":%q,"siteId":%q,"at":"2026-03-02T12:00:00Z","note":"Seen.","event":"record.opened",` +
		`"requestType":"admin","requester":"patient","response":[{"question":"requestDetails","answer":"A letter."}]}`
)

func (c caller) request(ctx context.Context, tenant string) (*http.Request, error) {
	endpoint, about := one(c.random, townEndpoints...), c.patient(tenant)
	address := c.URL() + "/transactional-api/" + string(endpoint)
	method, body := http.MethodPost, ""
	switch endpoint {
	case access.Ping, access.RequestTypeAvailability, access.Application, access.KeySet, access.CalledIn, access.Sites:
		method = http.MethodGet
	case access.RequestOutcome:
		method, address = http.MethodGet, address+"?patientRequestId="+c.requestOf(tenant)
	case access.RetrieveCareRecord:
		method, address = http.MethodGet, address+"?"+c.query(about)
	default:
		body = fmt.Sprintf(c.body(), about, c.practices[tenant].visit, c.practices[tenant].site)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	r.Host = tenant + ".frontdesk.test"
	if c.random.IntN(25) == 0 {
		r.Header.Set("Content-Type", "text/plain")
	}
	if c.random.IntN(4) == 0 {
		r.Header.Set("Idempotency-Key", one(c.random, "one", "two", strings.Repeat("k", 256)))
	}
	if c.random.IntN(4) == 0 {
		r.Header.Set("If-None-Match", one(c.random, "*", `"other"`))
	}
	return r, nil
}

func (c caller) body() string {
	switch c.random.IntN(20) {
	case 0:
		return oddBody
	case 1:
		return brokenBody
	}
	return goodBody
}

// query names the patient, now and then twice.
func (c caller) query(about string) string {
	q := url.Values{"patientId": {about}}
	if c.random.IntN(20) == 0 {
		q.Add("patientId", about)
	}
	return q.Encode()
}

// requestOf is a request of the practice, one of another practice, an unknown one, or none.
func (c caller) requestOf(tenant string) string {
	if c.random.IntN(12) == 0 {
		return one(c.random, uuid.NewString(), "nothing", "", one(c.random, c.practices[one(c.random, townTenants...)].requests...).String())
	}
	return one(c.random, c.practices[tenant].requests...).String()
}

// patient is the patient that a call names: one of the practice, one of another practice, an
// unknown one, or none.
func (c caller) patient(tenant string) string {
	own := one(c.random, c.practices[tenant].patients...).String()
	switch c.random.IntN(12) {
	case 0:
		return one(c.random, c.practices[one(c.random, townTenants...)].patients...).String()
	case 1:
		return one(c.random, uuid.NewString(), uuid.Nil.String(), "{"+own+"}", "nobody", "")
	case 2:
		return strings.ToUpper(own)
	}
	return own
}

// token is valid now; a sound one may have extra claims.
func (c caller) token(a bearertest.Application, m madeCall) string {
	var edits []bearertest.Edit
	if m.username != "" {
		edits = append(edits, bearertest.As(m.username))
	}
	switch {
	case !m.sound:
		return one(c.random, faultyTokens...)(a, c.clock.Now(), edits)
	case c.random.IntN(10) == 0: // it is ignored (D4)
		edits = append(edits, bearertest.Claim("aud", "https://elsewhere.example"))
	case m.username == "" && c.random.IntN(2) == 0:
		edits = append(edits, bearertest.Claim("act", bearertest.Act()))
	}
	return a.Token(c.clock.Now(), edits...)
}

// faultyTokens are refused before a caller is identified (D3).
var faultyTokens = []func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string{
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // expired
		return a.Token(now.Add(-3*time.Minute), edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // of the future
		return a.Token(now.Add(3*time.Minute), edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // too long a life
		return a.Token(now, append(edits, bearertest.Claim("exp", now.Unix()+61))...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // another's
		return a.Token(now, append(edits, bearertest.Claim("azp", "nobody"))...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // of an unknown key
		a.ID.UUID = uuid.New()
		return a.Token(now, edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // a key of another name
		a.Kid = "another-key"
		return a.Token(now, edits...)
	},
	func(a bearertest.Application, now time.Time, edits []bearertest.Edit) string { // another key of the same name
		if a.Key == bearertest.Key() {
			a.Key = bearertest.StrangersKey() // which is another application's
		} else {
			a.Key = bearertest.Key()
		}
		return a.Token(now, edits...)
	},
}
