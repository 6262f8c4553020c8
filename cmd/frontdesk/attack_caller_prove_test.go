//go:build prove

package main_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
)

// caller is an honest application.
type caller struct {
	integrator
	client *http.Client
	signer *client.Signer

	mu    sync.Mutex
	token string
	age   clock.Stopwatch
}

func (c *caller) bearer() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.age.Elapsed() > 20*time.Second {
		c.token, _ = c.signer.Token(c.ID.String(), "", clock.System())
		c.age = clock.Start()
	}
	return c.token
}

// call makes the application's nth call. Of ten, five are pings, two read a
// record, two send a short request, and one sends a long text or a file.
func (c *caller) call(ctx context.Context, nth int) error {
	switch nth % 10 {
	case 5, 6:
		return c.ask(ctx, http.MethodGet, "retrieve-care-record?patientId="+c.Record.String(), "")
	case 7, 8:
		return c.submit(ctx, "A cough", "")
	case 9:
		if nth%20 == 9 {
			return c.submit(ctx, strings.Repeat("A cough. ", 12_000), "")
		}
		return c.submit(ctx, "A rash", photo)
	default:
		return c.ask(ctx, http.MethodGet, "ping", "")
	}
}

var photo = `{"fileName":"rash.jpg","contentType":"image/jpeg","data":"` + base64.StdEncoding.EncodeToString(make([]byte, 100<<10)) + `"}`

func (c *caller) submit(ctx context.Context, text, files string) error {
	return c.ask(ctx, http.MethodPost, "create-patient-request", fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":%q}],"attachments":[%s]}`, c.Patient, text, files))
}

func (c *caller) ask(ctx context.Context, method, what, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.Tenant+"."+apiDomain+"/transactional-api/"+what, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.bearer())
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return wants(answer.StatusCode, err, http.StatusOK)
}
