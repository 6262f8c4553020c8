//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/domain/request"
)

// keyed is the calls of a drill by their Idempotency-Key.
type keyed struct {
	mu       sync.Mutex
	answered map[string]uuid.UUID // the request that the answer names
	pending  []string             // not answered 200 yet
	refused  int
}

func (k *keyed) forgetRefusals() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refused = 0
}

// note keeps an answer: [uuid.Nil] is none.
func (k *keyed) note(key string, made uuid.UUID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if made == uuid.Nil {
		k.refused++
		k.pending = append(k.pending, key)
		return
	}
	k.answered[key] = made
}

// next takes a call that was not answered 200, so that it is repeated.
func (k *keyed) next() (key string, is bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pending) == 0 {
		return "", false
	}
	key, k.pending = k.pending[0], k.pending[1:]
	return key, true
}

// callers of a drill: one that makes a call a second, or some that make five.
const drillCallers = 3

// called has callers call through the proxy until the function is called.
func (d *drilled) called(slow bool) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(d.t.Context()))
	callers, rest := drillCallers, 200*time.Millisecond
	if slow {
		callers, rest = 1, time.Second
	}
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key, old := "", false
				if n%3 == 0 {
					key, old = d.calls.next()
				}
				if !old {
					key = uuid.NewString()
				}
				d.submits(key)
				pauseFor(ctx, rest)
			}
		})
	}
	calling.Go(func() {
		for ctx.Err() == nil {
			d.opensRecord()
			pauseFor(ctx, time.Second)
		}
	})
	return sync.OnceFunc(func() { cancel(); calling.Wait() })
}

// submits makes a call under a key, and keeps its answer. Any answer but 200 says, in the contract's form, that the
// service is unavailable, and when to try again.
func (d *drilled) submits(key string) {
	response, body, err := d.call("create-patient-request", key, fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, d.patient))
	var made struct{ PatientRequestID uuid.UUID }
	switch {
	case err != nil: // no answer
	case response.StatusCode == http.StatusOK:
		if err := json.Unmarshal(body, &made); err != nil {
			d.t.Errorf("a call was answered %s: %v", body, err)
		}
	case response.StatusCode < http.StatusBadGateway || response.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `{"errors":[{"code":"unavailable"`):
		d.t.Errorf("a call was answered %d %s", response.StatusCode, body)
	}
	d.calls.note(key, made.PatientRequestID)
}

// opensRecord makes a call that causes a webhook.
func (d *drilled) opensRecord() {
	_, _, _ = d.call("open-care-record", uuid.NewString(), fmt.Sprintf(`{"patientId":%q}`, d.patient)) // the service may be away
}

func (d *drilled) call(endpoint, key, body string) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.t.Context()), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://elm-street.example.com/transactional-api/"+endpoint, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+d.integrator.Token(clock.System()))
	r.Header.Set("Idempotency-Key", key)
	response, err := d.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// compare has the service recover, repeats the calls that were not answered 200 until they are, and compares all
// answers with the log.
func (d *drilled) compare() (found drillResult) {
	d.t.Helper()
	d.calls.mu.Lock()
	found.refused = d.calls.refused
	d.calls.mu.Unlock()
	d.stop()
	waitFor(d.t, func() bool {
		key, is := d.calls.next()
		if is {
			d.submits(key)
		}
		return !is
	})
	d.submits(uuid.NewString())
	logged := d.submitted()
	sum := 0
	for _, times := range logged {
		sum += times
	}
	found.answered, found.doubled = len(d.calls.answered), max(0, sum-len(d.calls.answered))
	for key, made := range d.calls.answered {
		if logged[made] == 0 {
			found.lost++
			d.t.Errorf("call %s was answered 200 and request %s is not stored", key, made)
		}
	}
	if sum != len(d.calls.answered) {
		d.t.Errorf("%d calls were answered 200, and %d requests are stored", len(d.calls.answered), sum)
	}
	return found
}

// submitted is how often each request was submitted.
func (d *drilled) submitted() map[uuid.UUID]int {
	d.t.Helper()
	conn := d.superuser()
	defer func() { _ = conn.Close(context.WithoutCancel(d.t.Context())) }()
	rows, err := conn.Query(d.t.Context(), `SELECT stream, count(*) FROM events WHERE name = $1 GROUP BY stream`, request.Submitted{}.EventName())
	d.must(err)
	defer rows.Close()
	times := map[uuid.UUID]int{}
	for rows.Next() {
		var stream uuid.UUID
		var count int
		d.must(rows.Scan(&stream, &count))
		times[stream] = count
	}
	d.must(rows.Err())
	return times
}
