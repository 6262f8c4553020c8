package httpapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/mux"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// description is the part of openapi.json that these tests use.
type description struct {
	OpenAPI  string
	Paths    map[string]map[string]struct{ OperationID string }
	Webhooks map[string]any
}

func describe(t *testing.T) (d description) {
	t.Helper()
	if err := json.Unmarshal(httpapitest.OpenAPI(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryRouteIsDescribedAndNothingElse(t *testing.T) {
	t.Parallel()
	api := &httpapi.API{Domain: "localhost", DefaultTenant: "elm-street", Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler)}
	routed := map[string][]string{}
	err := httpapi.Routes(api).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		if path, err := route.GetPathTemplate(); err == nil && route.GetHandler() != nil {
			routed[path] = methodsOf(t, api, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	described := map[string][]string{}
	for path, operations := range describe(t).Paths {
		for method := range operations {
			described[path] = append(described[path], strings.ToUpper(method))
		}
		slices.Sort(described[path])
	}
	if diff := cmp.Diff(described, routed); diff != "" {
		t.Errorf("-described +routed:\n%s", diff)
	}
}

// An endpoint of the catalogue without a route would always answer 405. A route outside
// the catalogue would serve callers without a check.
func TestServedEndpointsMatchCatalogue_D38(t *testing.T) {
	t.Parallel()
	api := &httpapi.API{Domain: "localhost", DefaultTenant: "elm-street", Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler)}
	public := []string{"/transactional-api/jwks", "/transactional-api/openapi.json"}
	want := append([]string{"/transactional-api"}, public...)
	served := httpapi.Endpoints(api)
	for _, e := range access.Endpoints() {
		want = append(want, "/transactional-api/"+string(e.Name))
		if len(served[e.Name]) == 0 {
			t.Errorf("nothing serves %s: add it to the table of its noun", e.Name)
		}
		delete(served, e.Name)
	}
	for name := range served {
		t.Errorf("%s is not in access.Endpoints", name)
	}
	var routed []string
	err := httpapi.Routes(api).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := route.GetPathTemplate()
		routed = append(routed, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(routed)
	if diff := cmp.Diff(want, routed); diff != "" {
		t.Errorf("routed (-want +got):\n%s", diff)
	}
}

// methodsOf returns the methods of a path, without HEAD, which comes with GET.
func methodsOf(t *testing.T, api *httpapi.API, path string) []string {
	t.Helper()
	answer := httptest.NewRecorder()
	api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "PURGE", "http://localhost"+path, nil))
	if answer.Code != http.StatusMethodNotAllowed {
		t.Errorf("%s answers %d to a method that it cannot know", path, answer.Code)
	}
	methods := strings.Split(answer.Header().Get("Allow"), ", ")
	return slices.DeleteFunc(methods, func(m string) bool { return m == http.MethodHead })
}

func TestGrantsAreNamedAsTheOperationsAre_5_6(t *testing.T) {
	t.Parallel()
	operations := map[string]bool{}
	for _, path := range describe(t).Paths {
		for _, operation := range path {
			operations[operation.OperationID] = true
		}
	}
	for _, endpoint := range append(access.Grantable(), access.Ping) {
		if !operations[string(endpoint)] {
			t.Errorf("%s is no operation", endpoint)
		}
	}
}

// A row of the catalogue without the patient would skip the scope check.
func TestRowAndInputNameSamePatient_D38(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(httpapitest.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	for _, e := range access.Endpoints() {
		for method, operation := range document.Paths["/transactional-api/"+string(e.Name)] {
			if named := inputNames(t, operation, "patientId"); named != e.NamesPatient {
				t.Errorf("%s %s: its input names a patient: %t; its row says %t", method, e.Name, named, e.NamesPatient)
			}
		}
	}
}

// inputNames reports whether a parameter or a member of the body has a name.
func inputNames(t *testing.T, operation []byte, name string) bool {
	t.Helper()
	var input struct {
		Parameters  []struct{ Name string }
		RequestBody struct {
			Content map[string]struct {
				Schema struct {
					Ref        string `json:"$ref"`
					Properties map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal(operation, &input); err != nil {
		t.Fatal(err)
	}
	for _, p := range input.Parameters {
		if p.Name == name {
			return true
		}
	}
	for _, content := range input.RequestBody.Content {
		properties := content.Schema.Properties
		if ref := path.Base(content.Schema.Ref); content.Schema.Ref != "" {
			properties = schemaProperties(t, ref)
		}
		if _, ok := properties[name]; ok {
			return true
		}
	}
	return false
}

func schemaProperties(t *testing.T, schema string) map[string]any {
	t.Helper()
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(httpapitest.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas[schema].Properties
}

func TestEveryWebhookIsDescribed_6_1(t *testing.T) {
	t.Parallel()
	described := slices.Sorted(maps.Keys(describe(t).Webhooks))
	sent := []string{string(application.Ping)}
	for _, event := range application.WebhookEvents() {
		sent = append(sent, string(event))
	}
	slices.Sort(sent)
	if diff := cmp.Diff(sent, described); diff != "" {
		t.Errorf("-sent +described:\n%s", diff)
	}
}

// Public documents are as described, without a token.
func TestPublicEndpointsMatchDescription(t *testing.T) {
	t.Parallel()
	contract, err := httpapitest.NewContract()
	if err != nil {
		t.Fatal(err)
	}
	api := &httpapi.API{
		Domain: "frontdesk.example", Limit: time.Minute, Now: atWritten, Log: slog.New(slog.DiscardHandler),
		SigningKeys: func(context.Context) ([]byte, error) {
			return []byte(`{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"a","n":"AQAB","e":"AQAB"}]}`), nil
		},
	}
	call := func(method, path, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://elm-street.frontdesk.example"+path, nil)
		r.Header.Set("If-None-Match", etag)
		answer := httptest.NewRecorder()
		api.Handler().ServeHTTP(answer, r)
		got := httpapitest.Answer{Status: answer.Code, Header: answer.Header(), Body: answer.Body.Bytes()}
		if err := contract.CheckAnswer(method, path, got); err != nil {
			t.Error(err)
		}
		return answer
	}
	if answer := call(http.MethodGet, "/transactional-api/openapi.json", ""); answer.Code != http.StatusOK || !strings.HasPrefix(describe(t).OpenAPI, "3.1.") {
		t.Errorf("the description: status %d", answer.Code)
	}
	first := call(http.MethodGet, "/transactional-api/jwks", "")
	if again := call(http.MethodGet, "/transactional-api/jwks", first.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same keys again: status %d", again.Code)
	}
	call(http.MethodHead, "/transactional-api/jwks", "")
	call(http.MethodPost, "/transactional-api/jwks", "")
}
