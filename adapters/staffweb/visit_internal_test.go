package staffweb

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorilla/mux"
)

// The names of practices that strangers make up are counted for a while. What stands beside
// them in the request line must not be kept with them.
func TestAVisitKeepsNothingOfTheRequestLine_D45(t *testing.T) {
	t.Parallel()
	line := "elm-street/staff/sign-in?" + strings.Repeat("x", 30<<10)
	request := mux.SetURLVars(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+line, nil), map[string]string{"tenant": line[:10]})
	v := &visit{w: httptest.NewRecorder(), r: request}
	if err := (&Pages{}).enter(v); err != nil {
		t.Fatal(err)
	}
	if v.tenant != "elm-street" || unsafe.StringData(v.tenant) == unsafe.StringData(line) {
		t.Error("the whole request line is kept in memory")
	}
}
