package alerting_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/clock"
)

const usualPause = 200 * time.Millisecond // of a caller, between two calls

// works calls all processes in turn, until it is stopped. How calls are answered is in the
// metrics. Of callers who wait for the same, those whose first differs end both kinds of calls.
func (w *world) works(first int, rest time.Duration) (stop func()) {
	return w.runs(func(ctx context.Context) error {
		var token string // good for a minute
		var age clock.Stopwatch
		for n := first; ctx.Err() == nil; n++ {
			if age.Elapsed() > 20*time.Second {
				age = clock.Start()
				token = w.integrator.Token(clock.System())
			}
			addresses := *w.addresses.Load()
			w.call(ctx, addresses[n%len(addresses)], token, n%2 == 0)
			pause(ctx, rest)
		}
		return nil
	})
}

// call makes a call that causes webhooks, or one that does not.
func (w *world) call(ctx context.Context, url, token string, told bool) {
	path, body := "open-care-record", fmt.Sprintf(`{"patientId":%q}`, w.patient)
	if !told {
		path = "create-patient-request"
		body = fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, w.patient)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return
	}
	r.Host = "elm-street.frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the process is down
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}
