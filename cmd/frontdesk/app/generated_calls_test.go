package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/event"
)

// unreached are the described answers that no generated call gets, by how they end, with the
// reason and the tests that get them.
var unreached = map[string]string{
	" 408": "a body is late after ten seconds: TestABodyHasAnEnd_D44",
	" 500": "a sound service answers none: TestEveryJudgedCallIsRecorded_D37",
	" 503": "a service that is neither full nor stopping answers none: TestBusyServiceRefusesCalls_D9",
	"POST /transactional-api/application/key-set 409": "without a body, only a call beside another with the key gets it: TestFiftyAtOnceMakeOneChange_D93",
}

func TestGeneratedCallsAreDescribed_D150(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := newGenerator(t, seed)
	g.callAtLeast(2_000)
	g.wantReached()
}

// Practices that there are not, that have not enabled the application, and that have disabled it
// are answered alike at every operation that needs a token.
func TestPracticesNotEnabledLookAlike_D150(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, rand.Uint64())
	for _, o := range g.contract.Operations() {
		c := g.sound(apiCall(o))
		c.host = nowhere
		want := g.send(c)
		for _, c.host = range []string{oak, ash} {
			g.clock.Pass(time.Minute)
			got := g.send(c)
			if diff := cmp.Diff(headersToCompare(want), headersToCompare(got)); diff != "" {
				t.Errorf("%v at %s (-nowhere +there):\n%s", o, c.host, diff)
			}
		}
		g.clock.Pass(time.Second)
	}
}

// headersToCompare is an answer without its identifier, its date and the count of calls. What an
// application is told of itself names the practice of the call, and its calls there.
func headersToCompare(a httpapitest.Answer) map[string]string {
	all, varies := map[string]string{"status": strconv.Itoa(a.Status)}, []string{"X-Request-Id", "Date", "Ratelimit"}
	if a.Status == http.StatusOK {
		varies = append(varies, "Content-Length")
	} else {
		all["body"] = string(a.Body)
	}
	for name := range a.Header {
		if !slices.Contains(varies, name) {
			all[name] = a.Header.Get(name)
		}
	}
	return all
}

// apiCall is a method and a path.
type apiCall [2]string

func (o apiCall) method() string { return o[0] }
func (o apiCall) is(method, endpoint string) bool {
	return o == apiCall{method, "/transactional-api/" + endpoint}
}

// callAtLeast makes calls until there were so many: every variant of every operation, in a
// random order, again and again. Some are answered once a minute.
func (g *generator) callAtLeast(calls int) {
	g.t.Helper()
	operations := g.contract.Operations()
	for g.made < calls {
		for _, n := range g.random.Perm(len(operations) * len(variants)) {
			variants[n%len(variants)](g, apiCall(operations[n/len(variants)]))
			g.clock.Pass(time.Minute)
			if g.t.Failed() {
				return
			}
		}
	}
}

// wantReached wants every part of the description to be reached, except those of the table.
func (g *generator) wantReached() {
	g.t.Helper()
	if g.t.Failed() {
		return // the calls have ended early
	}
	except := slices.Collect(maps.Keys(unreached))
	for _, part := range g.contract.Parts() {
		excepted := slices.ContainsFunc(except, func(end string) bool {
			operation := strings.Join(strings.SplitAfterN(part, " ", 4)[:3], "")
			return strings.HasSuffix(strings.TrimSpace(operation), end)
		})
		if g.reached[part] == 0 && !excepted {
			g.t.Errorf("no call reached %s", part)
		}
	}
	g.t.Logf("%d calls reached %d of %d parts of the description", g.made, len(g.reached), len(g.contract.Parts()))
}

func pick[T any](g *generator, of ...T) T { return of[g.random.IntN(len(of))] }

// generated is a call that can be sent.
type generated struct {
	apiCall
	by      bearertest.Application
	host    string
	query   url.Values
	body    map[string]any // nil for none
	raw     string         // the body instead
	headers http.Header
	token   []bearertest.Edit
	expired bool
}

// sound is a call that is answered 200 unless it comes too often.
func (g *generator) sound(o apiCall) generated {
	c := generated{apiCall: o, by: g.portal, host: elm, query: url.Values{}, headers: http.Header{}}
	about := g.patient.String()
	switch _, endpoint, _ := strings.Cut(o[1], "/transactional-api/"); {
	case o.is(http.MethodGet, "retrieve-care-record"):
		c.query.Set("patientId", about)
	case o.is(http.MethodGet, "request-outcome"):
		c.query.Set("patientRequestId", g.request.String())
	case o.method() == http.MethodGet, endpoint == "ping", endpoint == "application/key-set":
	case endpoint == "application/webhooks/test":
		c.body = map[string]any{"event": "record.opened"}
	case slices.Contains([]string{"call-in-patient", "clear-call-in", "mark-did-not-attend"}, endpoint):
		c.body = map[string]any{"appointmentId": g.booked(endpoint == "clear-call-in")}
	default: // each reads the members that it knows
		c.body = map[string]any{
			"create-patient-request": map[string]any{"patientId": about, "requestType": "admin", "requester": "patient",
				"response": []any{map[string]any{"question": "requestDetails", "answer": "A letter."}}},
			"create-note":         map[string]any{"patientId": about, "note": "Seen."},
			"open-care-record":    map[string]any{"patientId": about},
			"start-consultation":  map[string]any{"patientId": about},
			"set-contact-details": map[string]any{"patientId": about, "telephone": telephone(g), "email": nil, "nhsNumber": nil},
			"book-appointment":    map[string]any{"patientId": about, "siteId": g.site, "at": "2026-03-02T12:00:00Z"},
		}[endpoint].(map[string]any)
	}
	return c
}

func telephone(g *generator) string { return "020 7946 " + strconv.Itoa(1000+g.random.IntN(9000)) }

// variants are what may be done with an operation. Each is as likely.
var variants = []func(*generator, apiCall){
	func(g *generator, o apiCall) { g.send(g.sound(o)) },
	func(g *generator, o apiCall) { // with a name that the contract does not know
		c := g.sound(o)
		if c.body == nil {
			c.query.Set("extra", "1")
		} else {
			c.body["extra"] = 1
		}
		g.send(c)
	},
	func(g *generator, o apiCall) { // for a user, who has authorised nothing
		c := g.sound(o)
		c.token = append(c.token, bearertest.As(pick(g, "dr.lee", "nobody")))
		g.send(c)
	},
	func(g *generator, o apiCall) { c := g.sound(o); c.expired = true; g.send(c) },
	func(g *generator, o apiCall) {
		c := g.sound(o)
		c.host = pick(g, oak, ash, nowhere, unsigned)
		g.send(c)
	},
	func(g *generator, o apiCall) { c := g.sound(o); c.host = "elsewhere.example"; g.send(c) },
	func(g *generator, o apiCall) {
		c := g.sound(o)
		c.apiCall[0] = pick(g, http.MethodPut, http.MethodDelete, http.MethodPatch)
		g.send(c)
	},
	func(g *generator, o apiCall) { // a fault of the body, the query or the key
		c := g.sound(o)
		if c.body == nil {
			c.query = url.Values{pick(g, "patientId", "patientRequestId", "siteId", "limit"): {"x"}}
		} else {
			delete(c.body, pick(g, slices.Sorted(maps.Keys(c.body))...))
		}
		if c.body == nil || g.random.IntN(2) == 0 {
			c.headers.Set("Idempotency-Key", strings.Repeat("k", 256))
		}
		g.send(c)
	},
	func(g *generator, o apiCall) {
		c := g.sound(o)
		c.headers.Set("Content-Type", "text/plain")
		g.send(c)
	},
	func(g *generator, o apiCall) { // too many values
		c := g.sound(o)
		c.raw = `{"extra":[` + strings.Repeat("0,", 1<<16) + `0]}`
		g.send(c)
	},
	func(g *generator, o apiCall) { // again under its key, and then with another body
		c := g.sound(o)
		c.headers.Set("Idempotency-Key", event.NewID().String())
		g.send(c)
		g.send(c)
		c.raw = " " + string(c.text())
		g.send(c)
	},
	func(g *generator, o apiCall) { // what it has already
		c := g.sound(o)
		c.headers.Set("If-None-Match", g.send(c).Header.Get("ETag"))
		g.send(c)
	},
	func(g *generator, o apiCall) { // too often
		c := g.sound(o)
		for c.by = g.hasty; len(c.headers) == 0; {
			if answer := g.send(c); answer.Status == http.StatusTooManyRequests || answer.Header.Get("RateLimit") == "" {
				break
			}
		}
	},
	func(g *generator, _ apiCall) { // while Elm Street takes no such requests
		c := g.sound(apiCall{http.MethodPost, "/transactional-api/create-patient-request"})
		c.body["requestType"], c.body["response"] = "medical", []any{map[string]any{"question": "healthConcern", "answer": "A cough."}}
		g.send(c)
	},
	func(g *generator, o apiCall) { g.sendRaw(o, "Long: "+strings.Repeat("x", 64<<10)) },
	func(g *generator, o apiCall) { g.sendRaw(o, "no header") },
}

// text is the body.
func (c generated) text() []byte {
	if c.raw != "" || c.body == nil {
		return []byte(c.raw)
	}
	text, _ := json.Marshal(c.body) // it is made of texts
	return text
}

// send makes the call, and compares the answer with the description.
func (g *generator) send(c generated) httpapitest.Answer {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), c.method(), g.URL()+c.apiCall[1]+"?"+c.query.Encode(), bytes.NewReader(c.text()))
	must(g.t, err)
	r.Host = c.host
	if !strings.Contains(c.host, ".") {
		r.Host += ".frontdesk.test"
	}
	maps.Copy(r.Header, c.headers)
	at := g.clock.Now()
	if c.expired {
		at = at.Add(-time.Hour)
	}
	r.Header.Set("Authorization", "Bearer "+c.by.Token(at, c.token...))
	response, err := g.client.Do(r)
	must(g.t, err)
	return g.read(c.apiCall, response)
}

func (g *generator) read(o apiCall, response *http.Response) httpapitest.Answer {
	g.t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(g.t, err)
	answer := httpapitest.Answer{Status: response.StatusCode, Header: response.Header, Body: text}
	g.made++
	g.contract.Reach(g.reached, o.method(), o[1], answer)
	if err := g.contract.CheckAnswer(o.method(), o[1], answer); err != nil {
		g.t.Errorf("call %d: %v: %s", g.made, err, answer.Body)
	}
	return answer
}

// sendRaw makes a call with one more line in its head.
func (g *generator) sendRaw(o apiCall, line string) {
	g.t.Helper()
	connection := g.dial()
	defer connection.Close()
	_, _ = fmt.Fprintf(connection, "%s %s HTTP/1.1\r\nHost: %s.frontdesk.test\r\n%s\r\n\r\n", o.method(), o[1], elm, line) // an early answer may end it
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	must(g.t, err)
	g.read(o, response)
}

func (g *generator) dial() net.Conn {
	g.t.Helper()
	connection, err := (&net.Dialer{}).DialContext(g.t.Context(), "tcp", strings.TrimPrefix(g.URL(), "http://"))
	must(g.t, err)
	must(g.t, connection.SetDeadline(clock.System().Add(time.Minute)))
	return connection
}
