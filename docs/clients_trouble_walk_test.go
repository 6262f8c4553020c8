//go:build walk

package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// trouble is a fault that a proxy adds to an attempt.
type trouble int

const (
	none        trouble = iota
	refuse              // 503, and the service never sees it
	cut                 // the connection ends, and the service never sees it
	refuseAfter         // 503 in place of the service's answer
	cutAfter            // the connection ends in place of the service's answer
	cutWithin           // the connection ends within the service's answer
)

// A troublemaker is a proxy between the clients and the service.
type troublemaker struct {
	*httptest.Server
	service    *url.URL
	retryAfter string // of a 503, in seconds

	mu    sync.Mutex
	plans map[string][]trouble // of the attempts at each path
	seen  map[string]int       // how many attempts reached the service, by path
}

func makeTrouble(t *testing.T, service string) *troublemaker {
	t.Helper()
	to, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	m := &troublemaker{service: to, retryAfter: "0", plans: map[string][]trouble{}, seen: map[string]int{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *troublemaker) plan(path string, troubles ...trouble) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plans["/transactional-api/"+path], m.seen["/transactional-api/"+path] = troubles, 0
}

func (m *troublemaker) reached(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen["/transactional-api/"+path]
}

func (m *troublemaker) next(path string) (now trouble) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.plans[path]) > 0 {
		now, m.plans[path] = m.plans[path][0], m.plans[path][1:]
	}
	if now != refuse && now != cut {
		m.seen[path]++
	}
	return now
}

func (m *troublemaker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := m.next(r.URL.Path)
	switch now {
	case refuse:
		m.unavailable(w)
		return
	case cut:
		panic(http.ErrAbortHandler)
	default:
	}
	answer := httptest.NewRecorder()
	proxy := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(m.service)
	}}
	proxy.ServeHTTP(answer, r)
	switch now {
	case refuseAfter:
		m.unavailable(w)
	case cutAfter:
		panic(http.ErrAbortHandler)
	default:
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		if body := answer.Body.Bytes(); now == cutWithin {
			_, _ = w.Write(body[:len(body)/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(answer.Body.Bytes())
	}
}

func (m *troublemaker) unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", m.retryAfter)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(`{"errors":[{"code":"unavailable","description":"Try again."}]}`))
}

// A call takes effect once, even if attempts fail before or after the service has answered.
func TestWalkClientsMakeNothingTwice_D99(t *testing.T) {
	t.Parallel()
	s, info := aSandbox(t)
	troubles := [][]trouble{
		{none}, {refuse}, {cut}, {refuseAfter}, {cutAfter}, {cutWithin}, {refuse, cut, refuseAfter}, {cutAfter, refuseAfter, cutWithin, cut},
	}
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		proxy := makeTrouble(t, info.APIURL)
		d := info.caller(t, c, proxy.URL)
		patient := s.aPatient(t, info)
		file := writeFile(t, "cough.png", "\x89PNG…")
		for i, plan := range troubles {
			for endpoint, input := range map[string]fields{
				"create-patient-request": {"requestType": "medical", "requester": "patient", "response": []fields{{"question": "healthConcern", "answer": fmt.Sprint(i)}}},
				"create-note":            {"note": fmt.Sprint(i)},
				"start-consultation":     {},
			} {
				input["patientId"] = patient
				proxy.plan(endpoint, plan...)
				one := order{Do: endpoint, Input: input}
				if endpoint == "create-patient-request" {
					one.Files = []string{file}
				}
				if out := d.must(one); plan[0] != none && out.Tries != len(plan)+1 || out.Replayed != (proxy.reached(endpoint) > 1) {
					t.Errorf("%s with %v takes %d attempts, replayed: %v", endpoint, plan, out.Tries, out.Replayed)
				}
			}
		}
		var record struct{ Notes, PatientRequests, Consultations []any }
		if err := json.Unmarshal(d.must(order{Do: "retrieve-care-record", Input: fields{"patientId": patient}}).Text, &record); err != nil {
			t.Fatal(err)
		}
		if len(record.Notes) != len(troubles) || len(record.PatientRequests) != len(troubles) || len(record.Consultations) != len(troubles) {
			t.Errorf("of %d each there are %d notes, %d requests, %d consultations", len(troubles), len(record.Notes), len(record.PatientRequests), len(record.Consultations))
		}
	})
}

// Clients do not repeat a call that the service has refused.
func TestWalkClientsTakeRefusal_D99(t *testing.T) {
	t.Parallel()
	_, info := aSandbox(t)
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		proxy := makeTrouble(t, info.APIURL)
		proxy.retryAfter = "1"
		d := info.caller(t, c, proxy.URL)
		out := d.do(order{Do: "create-note", Input: fields{"patientId": "01980000-0000-7000-8000-000000000009", "note": "x"}})
		if out.Error == nil || out.Error.Code != "patient-not-found" || out.Error.Status != 400 || proxy.reached("create-note") != 1 {
			t.Errorf("%+v", out.Error)
		}
		proxy.plan("ping", refuse, refuse, refuse, refuse, refuse, refuse)
		if out := d.do(order{Do: "ping"}); out.Error == nil || out.Error.Code != "unavailable" || out.Error.RetryAfter != 1 || out.Tries != 5 {
			t.Errorf("%+v after %d attempts", out.Error, out.Tries)
		}
		proxy.plan("ping", cut, cut, cut, cut, cut, cut)
		if out := d.do(order{Do: "ping"}); out.Error == nil || out.Error.Status != 0 || out.Tries != 5 {
			t.Errorf("%+v after %d attempts", out.Error, out.Tries)
		}
	})
}
