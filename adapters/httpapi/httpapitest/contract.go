package httpapitest

import (
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
)

// Contract is the OpenAPI description. It is safe for concurrent use.
type Contract struct {
	document        map[string]any
	answers, bodies *schemas // what we send, and what we accept
}

// OpenAPI returns the description as it is served.
func OpenAPI() []byte {
	api := &httpapi.API{
		Domain: "localhost", DefaultTenant: "nobody", Limit: time.Minute, Now: clock.System, Log: slog.New(slog.DiscardHandler),
	}
	answer := httptest.NewRecorder()
	call := httptest.NewRequest(http.MethodGet, "http://localhost/transactional-api/openapi.json", http.NoBody)
	api.Handler().ServeHTTP(answer, call)
	return answer.Body.Bytes()
}

// NewContract reads the description that the service publishes.
func NewContract() (*Contract, error) { return newContract(OpenAPI()) }

func newContract(description []byte) (*Contract, error) {
	document, err := decode(description)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	strict, err := decode(description)
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	closeObjects(at(strict, "components", "schemas"))
	c := &Contract{document: document}
	if c.answers, err = newSchemas(strict); err != nil {
		return nil, err
	}
	c.bodies, err = newSchemas(document)
	return c, err
}

// Answer is an HTTP answer whose body has been read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// CheckAnswer returns how an answer differs from its description. A path that is not
// described must answer 404, and a method 405.
func (c *Contract) CheckAnswer(method, path string, answer Answer) error {
	place, ok := c.responseOf(method, path, answer.Status)
	if !ok {
		return fmt.Errorf("%s %s does not describe an answer %d", method, path, answer.Status)
	}
	if err := c.checkHeaders(place, answer.Header); err != nil {
		return fmt.Errorf("the answer %d of %s %s: %w", answer.Status, method, path, err)
	}
	if err := c.checkContent(place, method, answer); err != nil {
		return fmt.Errorf("the answer %d of %s %s: %w", answer.Status, method, path, err)
	}
	return nil
}

// CheckAccepted returns how an accepted body differs from its description.
func (c *Contract) CheckAccepted(method, path string, body []byte) error {
	place := []string{"paths", path, strings.ToLower(method), "requestBody", "content", "application/json", "schema"}
	if at(c.document, place...) == nil {
		return nil // it takes no body
	}
	if err := c.bodies.check(place, body); err != nil {
		return fmt.Errorf("%s %s accepted another body than it describes: %w", method, path, err)
	}
	return nil
}

// CheckWebhook returns how the claims of a webhook differ from their description.
func (c *Contract) CheckWebhook(event string, claims []byte) error {
	place := c.follow([]string{"webhooks", event, "post", "requestBody"})
	place = append(place, "content", "application/jwt", "schema", "contentSchema")
	if at(c.document, place...) == nil {
		return fmt.Errorf("the event %s is not described", event)
	}
	if err := c.answers.check(place, claims); err != nil {
		return fmt.Errorf("the event %s: %w", event, err)
	}
	return nil
}

// responseOf returns the place of the answer's description.
func (c *Contract) responseOf(method, path string, status int) ([]string, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	operation := []string{"paths", path, strings.ToLower(method)}
	if at(c.document, operation...) != nil && status != http.StatusMethodNotAllowed { // which belongs to other methods
		place := slices.Concat(operation, []string{"responses", strconv.Itoa(status)})
		return c.follow(place), at(c.document, place...) != nil
	}
	switch {
	case status == http.StatusNotFound:
		return []string{"components", "responses", "NotFound"}, true
	case status == http.StatusMethodNotAllowed && at(c.document, "paths", path) != nil:
		return []string{"components", "responses", "MethodNotAllowed"}, true
	case status == http.StatusServiceUnavailable:
		return []string{"components", "responses", "Unavailable"}, true
	}
	return nil, false
}

func (c *Contract) checkHeaders(response []string, got http.Header) error {
	headers, _ := at(c.document, append(response, "headers")...).(map[string]any)
	for name := range headers {
		place := slices.Concat(response, []string{"headers", name})
		required := at(c.document, append(place, "required")...) == true
		place = c.follow(place)
		required = required || at(c.document, append(place, "required")...) == true
		value := got.Get(name)
		switch {
		case value == "" && required:
			return fmt.Errorf("it has no header %s", name)
		case value == "":
			continue
		}
		if err := c.answers.checkValue(append(place, "schema"), value); err != nil {
			return fmt.Errorf("its header %s: %w", name, err)
		}
	}
	described := slices.Clone(ofHTTP)
	for name := range headers {
		described = append(described, http.CanonicalHeaderKey(name))
	}
	for name := range got {
		if !slices.Contains(described, name) {
			return fmt.Errorf("it has the header %s, which is not described", name)
		}
	}
	return nil
}

// ofHTTP are headers that any answer may have, as HTTP and the standards of browsers describe them.
var ofHTTP = []string{"Cache-Control", "Connection", "Content-Length", "Content-Security-Policy", "Content-Type", "Date", "Strict-Transport-Security", "X-Content-Type-Options"}

func (c *Contract) checkContent(response []string, method string, answer Answer) error {
	if at(c.document, append(response, "content")...) == nil || method == http.MethodHead {
		if len(answer.Body) > 0 {
			return fmt.Errorf("it has a body")
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("its Content-Type: %w", err)
	}
	place := slices.Concat(response, []string{"content", media, "schema"})
	if at(c.document, place...) == nil {
		return fmt.Errorf("its Content-Type is %s", media)
	}
	return c.answers.check(place, answer.Body)
}

// follow resolves a reference at place; without one it returns place.
func (c *Contract) follow(place []string) []string {
	object, _ := at(c.document, place...).(map[string]any)
	reference, ok := object["$ref"].(string)
	if !ok {
		return place
	}
	return strings.Split(strings.TrimPrefix(reference, "#/"), "/")
}
