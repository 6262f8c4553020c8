package page

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
)

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// The answers to strangers.
const (
	wrongHost   = "Nothing is served by this name. Open the address that frontdesk dev has printed.\n"
	noEntry     = "Open the address that frontdesk dev has printed: it holds the key to this page.\n"
	foreignForm = "This was not sent from the page of frontdesk dev, or the page is out of date. Reload it.\n"
)

// URL is the address of the page, with the key to it.
func (s *Site) URL() string { return s.address(s.Key) }

func (s *Site) address(key string) string {
	return "http://" + s.Address + "/?" + url.Values{"key": {key}}.Encode()
}

// URLOnce is an address that leads to the page once.
func (s *Site) URLOnce(key string) string {
	s.once.Store(&key)
	return s.address(key)
}

// derived is a secret that is made of the key, for one purpose.
func (s *Site) derived(purpose string) string {
	sum := sha256.Sum256([]byte(purpose + "\x00" + s.Key))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// guarded answers only requests for the addresses that are served. A page elsewhere could
// otherwise make its own name resolve to this address, and share its origin in the browser.
func (s *Site) guarded(next http.Handler) http.Handler {
	hosts := s.hosts()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !slices.Contains(hosts, r.Host) {
			http.Error(w, wrongHost, http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hosts are the names by which the page is reached.
func (s *Site) hosts() []string {
	_, port, _ := net.SplitHostPort(s.Address) // it is listened on
	return []string{s.Address, net.JoinHostPort("localhost", port)}
}

// entered admits anyone who has the key. An address that holds it is exchanged for a cookie,
// so that the key is not in the page's own address.
func (s *Site) entered(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if key := r.URL.Query().Get("key"); r.Method == http.MethodGet && s.opens(key) {
			http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.derived("cookie"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		shown, err := r.Cookie(s.cookie())
		if err != nil || !same(shown.Value, s.derived("cookie")) {
			http.Error(w, noEntry, http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

func (s *Site) opens(key string) bool {
	if key == "" {
		return false
	}
	once := s.once.Load()
	return same(key, s.Key) || once != nil && same(key, *once) && s.once.CompareAndSwap(once, nil)
}

// cookie is named after the port, because browsers give a cookie to all ports of a host.
func (s *Site) cookie() string {
	_, port, _ := net.SplitHostPort(s.Address)
	return "frontdesk-dev-" + port
}

// formBytes bounds a form.
const formBytes = 16 << 10

// sent accepts only forms of our own page.
func (s *Site) sent(next http.HandlerFunc) http.HandlerFunc {
	protection := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, formBytes)
		origin := r.Header.Get("Origin")
		if protection.Check(r) != nil || origin != "" && origin != "http://"+r.Host || !same(r.PostFormValue("token"), s.derived("form")) {
			http.Error(w, foreignForm, http.StatusForbidden)
			return
		}
		next(w, r)
	}
}
