package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A User-Agent is a stranger's text: only a program's name and version are recorded.
func TestRecordedUserAgentIsBounded_D177(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sent []string
		want string
	}{
		{[]string{"frontdesk-client-go/0.1.0"}, "frontdesk-client-go/0.1.0"},
		{[]string{"okhttp"}, "okhttp"},
		{[]string{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0"}, "Mozilla/5.0"},
		{[]string{"a/" + strings.Repeat("9", 98)}, "a/" + strings.Repeat("9", 98)},
		{[]string{"a/" + strings.Repeat("9", 99)}, ""},
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"curl/8.5.0", "curl/8.5.0"}, ""},
		{[]string{"<script>/1"}, ""},
		{[]string{"=cmd/1"}, ""},
		{[]string{"9434765919"}, ""},
		{[]string{"ann@example.org"}, ""},
		{[]string{"Zo\u00eb/1"}, ""},
		{[]string{"a/\x1b[31m"}, ""},
		{[]string{"a\tb"}, ""},
		{[]string{"a/1/2"}, ""},
		{[]string{"curl/8.5.0\n"}, ""},
	} {
		c := &clerk{Store: practiceDay(t), caller: proven(asApplication)}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/ping", http.NoBody)
		request.Header["User-Agent"] = test.sent
		c.api().Handler().ServeHTTP(httptest.NewRecorder(), request)
		if len(c.calls) != 1 || c.calls[0].Agent != test.want {
			t.Errorf("%q is recorded as %+v, want %q", test.sent, c.calls, test.want)
		}
	}
}
