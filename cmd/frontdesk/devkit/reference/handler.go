package reference

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Sandbox is the sandbox that serves the pages.
type Sandbox struct {
	URL   string   // of its API: http://127.0.0.1:8080
	Users []string // the users that its application may ask for authorisation
	IDs   IDs
	Files map[string][]byte // to serve next to the pages, by name; nil for none
	// Mint signs a token of its application, for the application itself or for a user.
	Mint func(username string) (token string, err error)
}

// Prefix is where the pages are served.
const Prefix = "/docs/"

// Handler serves the pages of a sandbox, once it is set. It answers at the sandbox's own
// address only, so that a foreign name that resolves to this machine reads nothing (DNS
// rebinding). It is safe for concurrent use.
type Handler struct{ content atomic.Pointer[content] }

type content struct {
	sandbox Sandbox
	host    string // of its URL
	files   files
}

// Show makes the pages for a sandbox.
func (h *Handler) Show(s Sandbox) error {
	address, err := url.Parse(s.URL)
	if err != nil {
		return fmt.Errorf("show the reference: %w", err)
	}
	made, err := site(&s)
	if err != nil {
		return err
	}
	maps.Copy(made, s.Files)
	h.content.Store(&content{sandbox: s, host: address.Host, files: made})
	return nil
}

// policy lets the pages load only files of the site. Swagger UI's icons are data, and it has
// no inline styles.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers below [Prefix].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(name, value)
	}
	s := h.content.Load()
	name := strings.TrimPrefix(r.URL.Path, Prefix)
	switch {
	case s == nil:
		http.Error(w, "The sandbox is not ready yet.", http.StatusServiceUnavailable)
	case r.Host != s.host:
		s.elsewhere(w, r)
	case name == tokenPath:
		s.mint(w, r)
	case name+"/" == Prefix:
		http.Redirect(w, r, Prefix, http.StatusTemporaryRedirect)
	default:
		s.serve(w, r, name)
	}
}

// elsewhere redirects from localhost to the address of the pages.
func (s *content) elsewhere(w http.ResponseWriter, r *http.Request) {
	_, port, _ := net.SplitHostPort(s.host)
	if r.Method != http.MethodGet || r.Host != net.JoinHostPort("localhost", port) {
		http.Error(w, "The pages of the sandbox are at "+s.sandbox.URL+Prefix, http.StatusMisdirectedRequest)
		return
	}
	http.Redirect(w, r, s.sandbox.URL+r.URL.EscapedPath(), http.StatusTemporaryRedirect)
}

func (s *content) serve(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Use GET.", http.StatusMethodNotAllowed)
		return
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	text, found := s.files[name]
	if strings.HasPrefix(name, guidesFolder) {
		documents, err := guides()
		if err != nil {
			http.Error(w, "The documentation cannot be shown: "+err.Error(), http.StatusInternalServerError)
			return
		}
		text, found = documents[name]
	}
	if !found {
		http.Error(w, "There is no such page. Begin at "+s.sandbox.URL+Prefix, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", typeOfFile(name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
