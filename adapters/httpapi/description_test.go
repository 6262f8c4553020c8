package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/httpapi"
)

type servers []struct{ URL string }

// described returns the description for a Host header.
func described(t *testing.T, host string) (document struct{ Servers servers }, text []byte) {
	t.Helper()
	api := &httpapi.API{
		Domain: "api.example", DefaultTenant: "elm-street", Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler),
	}
	request := httptest.NewRequest(http.MethodGet, "/transactional-api/openapi.json", http.NoBody)
	request.Host = host
	request.Header.Set("X-Forwarded-Host", "evil.example")
	answer := httptest.NewRecorder()
	api.Handler().ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		return document, nil
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatalf("%s: %v", host, err)
	}
	return document, answer.Body.Bytes()
}

func TestDescriptionNamesOwnAddress_D98(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"elm-street.api.example": "https://elm-street.api.example", "Elm-Street.API.example:8443": "https://elm-street.api.example:8443",
		"api.example": "https://api.example", "localhost": "http://localhost", "127.0.0.1:8080": "http://127.0.0.1:8080",
		"[::1]:8080": "http://[::1]:8080",
	} {
		if got, _ := described(t, host); len(got.Servers) != 1 || got.Servers[0].URL != want {
			t.Errorf("asked at %s it says %v", host, got.Servers)
		}
	}
}

// A Host header of the caller's own making is not repeated.
func TestTheDescriptionRepeatsNoOddHost_D98(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		`<script>.api.example`, `a"b.api.example`, "a b.api.example", "elm-street.api.example:8080x", "user@x.api.example", "-.api.example",
	} {
		if _, text := described(t, host); text != nil && !bytes.Equal(text, httpapi.Description("")) {
			t.Errorf("%s is repeated", host)
		}
	}
	for _, host := range []string{"evil.example", "api.example.evil.example", "a.b.api.example"} {
		if _, text := described(t, host); text != nil {
			t.Errorf("%s is no practice's host, and is answered", host)
		}
	}
}

// Except for the servers, it is the file.
func TestDescriptionIsFileExceptServers_D98(t *testing.T) {
	t.Parallel()
	var file, served map[string]any
	if err := json.Unmarshal(httpapi.Description(""), &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(httpapi.Description("https://elm-street.api.example"), &served); err != nil {
		t.Fatal(err)
	}
	delete(file, "servers")
	delete(served, "servers")
	if diff := cmp.Diff(file, served); diff != "" {
		t.Error(diff)
	}
}

// Examples of answers that the contract does not show write instants as the service does.
func TestExamplesHaveThreeDigits_D146(t *testing.T) {
	t.Parallel()
	members := regexp.MustCompile(`"(authorisedUntil|completedAt|fetchedAt|finishedAt|happenedAt|sentAt|since|until)": "(.*?)"`)
	threeDigits := regexp.MustCompile(`T\d\d:\d\d:\d\d\.\d{3}Z$`)
	examples := members.FindAllSubmatch(httpapi.Description(""), -1)
	if len(examples) == 0 {
		t.Error("there are no examples")
	}
	for _, e := range examples {
		if !threeDigits.Match(e[2]) {
			t.Errorf("an example says %s", e[0])
		}
	}
}
