//go:build prove

package main_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
)

// counted is how often names were seen.
type counted struct {
	mu    sync.Mutex
	times map[string]int
}

func (n *counted) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.times == nil {
		n.times = map[string]int{}
	}
	n.times[name]++
}

// count is how many names there are.
func (n *counted) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.times)
}

func (n *counted) counts() map[string]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.times)
}

// twice are the names that were counted more than once.
func (n *counted) twice() (names []string) {
	for name, times := range n.counts() {
		if times > 1 {
			names = append(names, name)
		}
	}
	return names
}

// hear takes a webhook.
func (c *containers) hear(w http.ResponseWriter, r *http.Request) {
	token, err := io.ReadAll(r.Body)
	parts := strings.Split(string(token), ".")
	if err != nil || len(parts) != 3 {
		c.t.Errorf("received %q: %v", token, err)
		return
	}
	var claims struct{ JTI uuid.UUID }
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		c.t.Errorf("received %q: %v", token, err)
	}
	c.webhooks.add(claims.JTI.String())
	w.WriteHeader(http.StatusNoContent)
}

// work calls by the proxy from many clients, until stop is called.
func (c *containers) work() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				c.call(ctx, n == 0)
				pauseFor(ctx, 20*time.Millisecond)
			}
		})
	}
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	c.t.Cleanup(stop)
	return stop
}

// call makes a call that causes webhooks, or one whose answer is remembered. Without a
// primary it is answered 503. If its process is killed meanwhile, the proxy answers 502, or
// hangs up silently if the call came on a connection that others had used.
func (c *containers) call(ctx context.Context, toldOf bool) {
	path, body := "create-patient-request",
		fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, c.patient)
	if toldOf {
		path, body = "open-care-record", fmt.Sprintf(`{"patientId":%q}`, c.patient)
	}
	status, text, err := c.post(ctx, path, body)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, io.EOF):
		c.refused.add("cut off")
	case err != nil:
		c.t.Errorf("a call was not answered: %v", err)
	case status == http.StatusOK && toldOf:
		c.opened.Add(1)
	case status == http.StatusOK:
		var made struct{ PatientRequestID uuid.UUID }
		if err := json.Unmarshal(text, &made); err != nil {
			c.t.Errorf("answered %s: %v", text, err)
		}
		c.answered.add(made.PatientRequestID)
	case status == http.StatusServiceUnavailable, status == http.StatusBadGateway:
		c.refused.add(strconv.Itoa(status))
	default:
		c.t.Errorf("answered %d: %s", status, text)
	}
}

func (c *containers) post(ctx context.Context, path, body string) (status int, text []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://elm-street.example.com/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.application.Token(clock.System()))
	response, err := c.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	return response.StatusCode, text, err
}
