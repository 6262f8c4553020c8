package bearertest_test

import (
	"net/http"
	"net/url"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/application"
)

// A program caches key sets by URL, and the system gives the port of a closed server to
// another one.
func TestKeyServersShareNoPath(t *testing.T) {
	t.Parallel()
	set := bearertest.NewApplication(application.ID{}).JWKS()
	one, other := bearertest.NewServer(set), bearertest.NewServer(set)
	t.Cleanup(one.Close)
	t.Cleanup(other.Close)
	of, err := url.Parse(one.URL)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]int{
		other.URL: http.StatusOK, "http://" + other.Listener.Addr().String() + of.Path: http.StatusNotFound,
	} {
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s is answered %d, want %d", address, answer.StatusCode, want)
		}
	}
	if n := other.Fetches(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}
