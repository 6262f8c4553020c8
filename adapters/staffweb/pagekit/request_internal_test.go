package pagekit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorilla/mux"
)

// Invented names of practices are counted for a while. They must not keep the rest of
// the request line in memory.
func TestRequestKeepsNoRequestLine_D45(t *testing.T) {
	t.Parallel()
	line := "elm-street/staff/sign-in?" + strings.Repeat("x", 30<<10)
	request := mux.SetURLVars(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+line, nil), map[string]string{"tenant": line[:10]})
	r := &Request{w: httptest.NewRecorder(), HTTP: request}
	if err := (&Site{}).prepare(r, formBytes); err != nil {
		t.Fatal(err)
	}
	if r.Tenant != "elm-street" || unsafe.StringData(r.Tenant) == unsafe.StringData(line) {
		t.Error("the whole request line is kept in memory")
	}
}
