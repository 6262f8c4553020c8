package client_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk.example/client"
)

const app = "01980000-0000-7000-8000-000000000001"

// Generating a key takes longer than most tests, so they share two.
var (
	aKey     = sync.OnceValue(newKey)
	otherKey = sync.OnceValue(newKey)
)

// stopwatch returns a function that returns the time since this call.
func stopwatch() (elapsed func() time.Duration) {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }
}

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func signer(t *testing.T) *client.Signer {
	t.Helper()
	s, err := client.NewSigner(client.Key{KID: "one", Private: aKey()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// service gives prepared answers to calls, one after the other, and records the calls.
type service struct {
	mu      sync.Mutex
	answers []answer
	sent    []sent
}

// key is the Idempotency-Key of the nth call.
func (s *service) key(n int) string { return s.sent[n].Header.Get("Idempotency-Key") }

type sent struct {
	*http.Request
	body string
	size int64
}

type answer func() (*http.Response, error)

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, sent{r, string(body), r.ContentLength})
	if err != nil {
		return nil, err
	}
	next := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return next()
}

// says returns an answer; headers are names and values in turn.
func says(status int, body string, headers ...string) answer {
	return func() (*http.Response, error) {
		response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		response.Header.Set("X-Request-Id", "r-1")
		for i := 0; i < len(headers); i += 2 {
			response.Header.Set(headers[i], headers[i+1])
		}
		return response, nil
	}
}

func refuses(status int, code string, headers ...string) answer {
	return says(status, `{"errors":[{"code":"`+code+`","description":"Because."}]}`, headers...)
}

func cuts() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// calling makes a client of a service that gives these answers; the last one for ever.
func calling(t *testing.T, answers ...answer) (*client.Client, *service) {
	t.Helper()
	return with(t, func(*client.Options) {}, answers...)
}

func with(t *testing.T, set func(*client.Options), answers ...answer) (*client.Client, *service) {
	t.Helper()
	s := &service{answers: answers}
	o := client.Options{BaseURL: "https://elm-street.api.example", Application: app, Signer: signer(t), Transport: s}
	set(&o)
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// claims are those of the token that a call carried.
func (s sent) claims(t *testing.T) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(s.Header.Get("Authorization"), "Bearer "), ".")
	for i, into := range []*map[string]any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return header, claims
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}
