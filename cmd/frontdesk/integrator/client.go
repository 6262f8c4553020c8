package integrator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/domain/application"
)

// Client asks as one application at one practice. It may be used at once by many.
type Client struct {
	URL  string                 // {base_url}/transactional-api
	Mint func() (string, error) // makes a token in which the application acts for itself
	HTTP *http.Client           // must have a time limit
}

// Refusal is an answer other than 200.
type Refusal struct {
	Status            int
	Code, Description string        // "" if the answer did not come from the service
	RetryAfter        time.Duration // 0 if the service does not say
	RequestID         string
}

// Error says what the service has said.
func (r *Refusal) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("the service answered %d", r.Status)
	}
	return fmt.Sprintf("%s (%s)", r.Description, r.Code)
}

// StatusOf returns the status of the refusal that an error is; 0 if it is none.
func StatusOf(err error) int {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Status
	}
	return 0
}

// maxAnswer bounds an answer, in bytes. The longest is a page of 200 calls.
const maxAnswer = 4 << 20

func (c Client) get(ctx context.Context, path string, query url.Values, answer any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, answer)
}

// post sends a body as JSON; nil is no body.
func (c Client) post(ctx context.Context, path string, body, answer any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return fmt.Errorf("ask %s: %w", path, err)
		}
	}
	return c.do(ctx, http.MethodPost, path, sent, answer)
}

func (c Client) do(ctx context.Context, method, path string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask %s: %w", path, err)
	}
	if !guarded(request.URL) {
		return errInClear
	}
	token, err := c.Mint()
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	unled := *c.HTTP
	unled.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := unled.Do(request)
	if err != nil {
		return fmt.Errorf("ask the service: %w", err)
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		return refusalOf(response, whole)
	}
	if err := json.Unmarshal(whole, answer); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

var errInClear = errors.New("the address must begin with https://, because a token is good for whoever reads it; only on this machine may it be http://")

// guarded reports whether nobody on the way reads what is sent to an address. The practices of
// a sandbox are below localhost.
func guarded(address *url.URL) bool {
	host := address.Hostname()
	return address.Scheme == "https" || application.IsLoopback(host) || strings.HasSuffix(host, ".localhost")
}

func refusalOf(response *http.Response, whole []byte) *Refusal {
	var said struct {
		Errors []struct{ Code, Description string }
	}
	refusal := &Refusal{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if json.Unmarshal(whole, &said) == nil && len(said.Errors) > 0 {
		refusal.Code, refusal.Description = said.Errors[0].Code, said.Errors[0].Description
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		refusal.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}
