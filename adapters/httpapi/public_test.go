package httpapi_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/fault"
)

const keySet = `{"keys":[{"kty":"RSA","kid":"a"}]}`

// getKeys fetches the key set, with a header or without.
func getKeys(t *testing.T, method, host string, keys func(context.Context) ([]byte, error), header ...string) *http.Response {
	t.Helper()
	api := &httpapi.API{
		Domain: "api.example", SigningKeys: keys, Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler),
	}
	request := httptest.NewRequest(method, "/transactional-api/jwks", http.NoBody)
	request.Host = host
	if len(header) > 0 {
		request.Header.Set(header[0], header[1])
	}
	recorder := httptest.NewRecorder()
	api.Handler().ServeHTTP(recorder, request)
	return recorder.Result()
}

func theKeySet(context.Context) ([]byte, error) { return []byte(keySet), nil }

func TestKeySetIsPublicOnEveryHost_4_3(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"elm-street.api.example", "nobody.api.example:443"} {
		response := getKeys(t, http.MethodGet, host, theKeySet)
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK || string(body) != keySet {
			t.Errorf("%s: %d %s", host, response.StatusCode, body)
		}
		if got := response.Header.Get("Cache-Control"); got != "max-age=300" {
			t.Errorf("Cache-Control: %s", got)
		}
		if got := response.Header.Get("Content-Type"); got != "application/jwk-set+json" {
			t.Errorf("Content-Type: %s", got)
		}
	}
	if response := getKeys(t, http.MethodGet, "elsewhere.example", theKeySet); response.StatusCode != http.StatusNotFound {
		t.Errorf("outside the API's domain: %d", response.StatusCode)
	}
}

func TestAnUnchangedKeySetIsNotSentAgain_D34(t *testing.T) {
	t.Parallel()
	host := "elm-street.api.example"
	etag := getKeys(t, http.MethodGet, host, theKeySet).Header.Get("ETag")
	for given, want := range map[string]int{
		etag: http.StatusNotModified, `"other", W/` + etag: http.StatusNotModified, "*": http.StatusNotModified, `"other"`: http.StatusOK,
	} {
		if got := getKeys(t, http.MethodGet, host, theKeySet, "If-None-Match", given).StatusCode; got != want {
			t.Errorf("If-None-Match: %s answers %d, want %d", given, got, want)
		}
	}
	changed := func(context.Context) ([]byte, error) { return []byte(`{"keys":[]}`), nil }
	if got := getKeys(t, http.MethodGet, host, changed, "If-None-Match", etag); got.StatusCode != http.StatusOK || got.Header.Get("ETag") == etag {
		t.Errorf("another key set answers %d, ETag %s", got.StatusCode, got.Header.Get("ETag"))
	}
}

func TestTheKeySetIsOnlyRead(t *testing.T) {
	t.Parallel()
	host := "elm-street.api.example"
	head := getKeys(t, http.MethodHead, host, theKeySet)
	if body, _ := io.ReadAll(head.Body); head.StatusCode != http.StatusOK || len(body) > 0 {
		t.Errorf("HEAD answers %d %s", head.StatusCode, body)
	}
	for _, given := range [][2]string{{"Range", "bytes=0-3"}, {"Range", "bytes=900-"}, {"If-Match", `"other"`}} {
		got := getKeys(t, http.MethodGet, host, theKeySet, given[0], given[1])
		if body, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusOK || string(body) != keySet {
			t.Errorf("%s: %s answers %d %s", given[0], given[1], got.StatusCode, body)
		}
	}
	post := getKeys(t, http.MethodPost, host, theKeySet)
	if post.StatusCode != http.StatusMethodNotAllowed || post.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST answers %d, Allow: %s", post.StatusCode, post.Header.Get("Allow"))
	}
	away := func(context.Context) ([]byte, error) {
		return nil, fault.New(fault.Unavailable, "unavailable", "Try again.")
	}
	if got := getKeys(t, http.MethodGet, host, away).StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("without a database: %d", got)
	}
}
