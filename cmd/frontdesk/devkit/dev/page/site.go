package page

import (
	"bytes"
	"context"
	_ "embed" // the page
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
)

// KeySetPath is where the application's key set is served.
const KeySetPath = "/jwks.json"

// Act is the action of a button. It reports its own result, and outlives a page that was closed.
type Act func(form url.Values)

// Changed announces that the content of the page has changed.
type Changed interface{ Next() <-chan struct{} }

// Site serves the page and the key set. Its fields are set before it serves.
type Site struct {
	Address string // HOST:PORT, as it is listened on
	Key     string // to the page
	State   func(context.Context) State
	Acts    map[string]Act
	Changed Changed
	KeySet  http.Handler // serves the application's key set

	followers atomic.Int32
	once      atomic.Pointer[string]
}

//go:embed assets/page.html
var source string

//go:embed assets/page.css
var style []byte

//go:embed assets/page.js
var script []byte

var pageTemplate = template.Must(template.New("page").Funcs(words).Parse(source))

// Handler returns the handler of the page.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.entered(s.show))
	mux.HandleFunc("GET /events", s.entered(s.follow))
	mux.HandleFunc("POST /do/{act}", s.entered(s.sent(s.do)))
	mux.Handle("GET "+KeySetPath, s.KeySet) // for the service, which has no key to the page
	mux.HandleFunc("GET /style.css", file("text/css; charset=utf-8", slices.Concat(pagekit.Style(), style)))
	mux.HandleFunc("GET /icon.svg", file("image/svg+xml", pagekit.Icon()))
	mux.HandleFunc("GET /page.js", file("text/javascript; charset=utf-8", script))
	return s.guarded(mux)
}

func file(mediaType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

func (s *Site) show(w http.ResponseWriter, r *http.Request) {
	var page bytes.Buffer
	if err := pageTemplate.Execute(&page, viewOf(s.State(r.Context()), s.derived("form"), r.URL.Query())); err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
}

// do presses a button, and shows the page again.
func (s *Site) do(w http.ResponseWriter, r *http.Request) {
	act, known := s.Acts[r.PathValue("act")]
	if !known {
		http.NotFound(w, r)
		return
	}
	act(r.PostForm)
	asked := r.URL.Query()
	http.Redirect(w, r, "/"+queryOf(asked.Get("only"), asked.Get("show"))+"#said", http.StatusSeeOther)
}
