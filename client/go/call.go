package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// An Answer is what came of one attempt at a call. It names no patient.
type Answer struct {
	Endpoint      string
	Attempt       int      // from 1
	Status        int      // of HTTP; 0 if no answer came
	RequestID     string   // of the answer
	Replayed      bool     // whether it is the answer to an earlier attempt with the same Idempotency-Key
	UnknownFields []string // names in the body that the service did not know
	Err           error    // why it is not a success
}

func warnOfUnknownFields(a Answer) {
	if len(a.UnknownFields) > 0 {
		slog.Default().Warn("The service does not know these fields", slog.String("endpoint", a.Endpoint),
			slog.Any("fields", a.UnknownFields), slog.String("requestId", a.RequestID))
	}
}

// idempotencyKey is the key of a context's value.
type idempotencyKey struct{}

// WithIdempotencyKey makes the next POST that is made with the context carry this key (1 to
// 255 bytes) instead of a fresh one. For 24 hours, the same key with the same body gets the
// same answer, also from a process that has started since. Do not use it for two calls.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// errNoKey keeps a call that is sent again from being made twice.
var errNoKey = errors.New("WithIdempotencyKey must be given 1 to 255 bytes")

// call is one call with all its attempts.
type call struct {
	client   *Client
	endpoint string
	method   string
	query    url.Values
	body     *body
	key      string // Idempotency-Key, the same for all attempts
	attempt  int
}

func (c *Client) get(ctx context.Context, endpoint string, query url.Values, into any) error {
	return (&call{client: c, endpoint: endpoint, method: http.MethodGet, query: query}).make(ctx, into)
}

func (c *Client) post(ctx context.Context, endpoint string, value any, attachments []Attachment, into any) error {
	body, err := newBody(value, attachments)
	if err != nil {
		return err
	}
	key, given := ctx.Value(idempotencyKey{}).(string)
	switch {
	case !given:
		key = rand.Text()
	case key == "":
		return errNoKey
	}
	return (&call{client: c, endpoint: endpoint, method: http.MethodPost, body: body, key: key}).make(ctx, into)
}

// make makes attempts until one has an answer for good, and decodes it.
func (c *call) make(ctx context.Context, into any) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	for {
		c.attempt++
		text, err := c.once(ctx)
		if err == nil {
			return c.decode(text, into)
		}
		wait, again := c.again(err)
		if !again || !pause(ctx, wait) {
			return err
		}
	}
}

func (c *call) decode(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: read the answer: %w", c.endpoint, err)
	}
	return nil
}

// bounded gives every call a deadline.
func (c *call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	limit := c.client.options.Timeout
	if limit <= 0 {
		limit = 2 * time.Minute
		if c.body != nil && c.body.hasFiles {
			limit = 15 * time.Minute // as long as the service waits for a body
		}
	}
	return context.WithTimeout(ctx, limit)
}

// once makes one attempt, and tells of it.
func (c *call) once(ctx context.Context) ([]byte, error) {
	answer := Answer{Endpoint: c.endpoint, Attempt: c.attempt}
	text, err := c.exchange(ctx, &answer)
	answer.Err = err
	c.client.options.OnAnswer(answer)
	return text, err
}

func (c *call) exchange(ctx context.Context, answer *Answer) ([]byte, error) {
	request, err := c.request(ctx)
	if err != nil {
		return nil, err
	}
	var sending reading
	sent := &sending
	if c.body != nil {
		sent = c.body.sendWith(request)
	}
	response, err := c.client.http.Do(request)
	if err != nil && sent.failed != nil {
		return nil, sent.failed
	}
	if err != nil {
		return nil, &UnreachableError{c.endpoint, err}
	}
	defer response.Body.Close()
	answer.read(response)
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return nil, &UnreachableError{c.endpoint, err}
	}
	if response.StatusCode != http.StatusOK || !json.Valid(text) { // a proxy's page
		return nil, serviceError(c.endpoint, response, text)
	}
	return text, nil
}

const longestAnswer = 32 << 20 // a care record has 4 MiB, before its texts are escaped

func (c *call) request(ctx context.Context) (*http.Request, error) {
	token, err := c.client.tokens.mint(c.client.caller)
	if err != nil {
		return nil, fmt.Errorf("mint token: %w", err)
	}
	address := c.client.endpoint + c.endpoint
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, c.method, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.endpoint, err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "application/json")
	if c.key != "" {
		request.Header.Set("Idempotency-Key", c.key)
	}
	return request, nil
}

func (a *Answer) read(response *http.Response) {
	a.Status = response.StatusCode
	a.RequestID = response.Header.Get("X-Request-Id")
	a.Replayed = response.Header.Get("Idempotent-Replayed") == "true"
	for name := range strings.SplitSeq(response.Header.Get("Warning-Unknown-Fields"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			a.UnknownFields = append(a.UnknownFields, name)
		}
	}
}
