//go:build prove

package main_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk/adapters/clock"
)

// submit sends a request with a file of that many bytes, each part after a rest.
func (s *deployment) submit(size int, rest time.Duration) error {
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]`, s.patient)
	if size > 0 {
		file := make([]byte, size)
		_, _ = rand.Read(file)
		body += `,"attachments":[{"fileName":"a.jpg","contentType":"image/jpeg","data":"` + base64.StdEncoding.EncodeToString(file) + `"}]`
	}
	body += "}"
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.proxy.url("elm-street", "/transactional-api/create-patient-request"),
		&slow{strings.NewReader(body), rest})
	if err != nil {
		return err
	}
	r.ContentLength = int64(len(body))
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(clock.System()))
	response, err := s.proxy.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d %q", response.StatusCode, text)
	}
	return nil
}

// slow is a body that rests before each part.
type slow struct {
	io.Reader
	rest time.Duration
}

// Read reads a part.
func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(s.rest)
	return s.Reader.Read(p[:min(len(p), 16<<10)])
}

// traffic is the results of the calls so far.
type traffic struct {
	stop, done func()

	mu       sync.Mutex
	ok       int
	failures []error
	longest  time.Duration // of the small calls since it was last asked
}

// callAllAlong makes calls until it is stopped.
func (s *deployment) callAllAlong() *traffic {
	ctx, stop := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var clients sync.WaitGroup
	calls := &traffic{stop: stop, done: clients.Wait}
	for n := range proxyClients {
		clients.Go(func() {
			for ctx.Err() == nil {
				size, rest := 0, time.Duration(0)
				if n < proxyUploads {
					size, rest = 1<<20, 30*time.Millisecond // some three seconds
				}
				begun := clock.Start()
				calls.add(s.submit(size, rest), size, begun.Elapsed())
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	return calls
}

func (c *traffic) add(err error, size int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failures = append(c.failures, err)
		return
	}
	c.ok++
	if size == 0 {
		c.longest = max(c.longest, took)
	}
}

func (c *traffic) answered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ok
}

func (c *traffic) slowest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	longest := c.longest
	c.longest = 0
	return longest
}

func (c *traffic) end() { c.stop(); c.done() }
