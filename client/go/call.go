package client

import (
	"bytes"
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

// An Answer is the result of one attempt at a call. It names no patient.
type Answer struct {
	Endpoint       string
	Attempt        int      // from 1
	Status         int      // of HTTP; 0 without one
	RequestID      string   // of the answer
	IdempotencyKey string   // of the call; empty for a GET
	Replayed       bool     // whether it is the answer to an earlier attempt with the same Idempotency-Key
	UnknownFields  []string // names in the body that the service does not know
	Err            error    // nil for success
}

func warnOfUnknownFields(a Answer) {
	if len(a.UnknownFields) > 0 {
		slog.Default().Warn("The service does not know these fields", slog.String("endpoint", a.Endpoint),
			slog.Any("fields", a.UnknownFields), slog.String("requestId", a.RequestID))
	}
}

// A CallOption changes one call. Every method of a [Client] that makes a call takes options.
type CallOption func(*call)

// IdempotencyKey sets the key of a POST (1 to 255 bytes), in place of a random one. For 24 hours,
// the same key with the same body gets the same answer, also from a process that has started since.
// Do not use a key for two calls. A GET carries none.
func IdempotencyKey(key string) CallOption {
	return func(c *call) { c.key = key }
}

// OnAnswer calls a function after each attempt at the call, on the caller's goroutine, in addition
// to [Options.OnAnswer].
func OnAnswer(hear func(Answer)) CallOption {
	return func(c *call) { c.hear = hear }
}

// errNoKey refuses a call that a retry would make twice.
var errNoKey = errors.New("an IdempotencyKey must have 1 to 255 bytes")

// call is one call with all its attempts.
type call struct {
	client   *Client
	endpoint string
	method   string
	query    url.Values
	body     *body
	key      string       // Idempotency-Key, the same for all attempts
	hear     func(Answer) // nil if only the client's is called
	attempt  int
}

func (c *Client) get(ctx context.Context, endpoint string, query url.Values, into any, options []CallOption) error {
	call := &call{client: c, endpoint: endpoint, method: http.MethodGet, query: query}
	call.apply(options)
	call.key = ""
	return call.make(ctx, into)
}

func (c *Client) post(ctx context.Context, endpoint string, value any, attachments []Attachment, into any, options []CallOption) error {
	body, err := newBody(value, attachments)
	if err != nil {
		return err
	}
	call := &call{client: c, endpoint: endpoint, method: http.MethodPost, body: body, key: rand.Text()}
	call.apply(options)
	if call.key == "" {
		return errNoKey
	}
	return call.make(ctx, into)
}

func (c *call) apply(options []CallOption) {
	for _, option := range options {
		option(c)
	}
}

// make makes attempts until one has a final answer, and decodes it.
func (c *call) make(ctx context.Context, into any) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	for {
		c.attempt++
		text, err := c.once(ctx)
		if err == nil {
			return c.decode(text, into)
		}
		wait, again := c.retryWait(err)
		if !again || !pause(ctx, wait) {
			return err
		}
	}
}

func (c *call) decode(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.endpoint, err)
	}
	return nil
}

// bounded gives every call a deadline.
func (c *call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := c.client.options.Timeout
	if limit <= 0 {
		if _, has := ctx.Deadline(); has {
			return ctx, func() {}
		}
		limit = 2 * time.Minute
		if c.body != nil && c.body.hasFiles {
			limit = 15 * time.Minute // the service waits this long for a body
		}
	}
	return context.WithTimeout(ctx, limit)
}

// once makes one attempt, and calls the hooks.
func (c *call) once(ctx context.Context) ([]byte, error) {
	answer := Answer{Endpoint: c.endpoint, Attempt: c.attempt, IdempotencyKey: c.key}
	text, err := c.exchange(ctx, &answer)
	answer.Err = err
	c.client.options.OnAnswer(answer)
	if c.hear != nil {
		c.hear(answer)
	}
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
		return nil, c.unreachable(err)
	}
	defer response.Body.Close()
	answer.read(response)
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return nil, c.unreachable(err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, c.refused(response, text)
	}
	if !isObject(text) {
		return nil, c.unreachable(errNotService)
	}
	return text, nil
}

// errNotService means that a success is not from the service, or is cut. The service answers with a
// JSON object.
var errNotService = errors.New("status 200 without the service's JSON")

func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text)
}

const longestAnswer = 32 << 20 // a care record has 4 MiB, before its texts are escaped

func (c *call) request(ctx context.Context) (*http.Request, error) {
	token, err := c.client.tokens.mint(ctx, c.client.caller)
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
	request.Header.Set("User-Agent", userAgent)
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
