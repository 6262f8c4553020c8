package pagekit

import (
	"net/http"
	"strings"

	"frontdesk/adapters/httpx"
)

// withSecurityHeaders sets the security headers of every answer, and accepts forms from
// this site only (D27).
func (s *Site) withSecurityHeaders(next http.Handler) http.Handler {
	foreign := s.handle("foreign", func(*Request) error { return ErrForeign })
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(foreign)
	if s.URL != nil { // behind a proxy, the Host may differ from the browser's
		_ = same.AddTrustedOrigin(s.URL.Scheme + "://" + s.URL.Host) // ParseURL has checked it
	}
	forms := same.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy(""))
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", referrer(r.URL.Path))
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", passkeysForbidden)
		h.Set("Cache-Control", "no-store")
		if s.Secure() {
			h.Set("Strict-Transport-Security", httpx.StrictTransport(s.HSTSSubdomains))
		}
		if s.otherScheme(r) {
			foreign.ServeHTTP(w, r)
			return
		}
		forms.ServeHTTP(w, r)
	})
}

// referrer returns the Referrer-Policy. That of a link is no-referrer, whatever the
// answer: our own proxies would log the address. Elsewhere that would also hide the
// Origin of our own forms.
func referrer(path string) string {
	if strings.Contains(path, "/link/") {
		return "no-referrer"
	}
	return "same-origin"
}

// The Permissions-Policy of pages. Only a page of passkeys may use passkeys.
const (
	permissions       = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
	passkeysForbidden = permissions + ", publickey-credentials-create=(), publickey-credentials-get=()"
	passkeysAllowed   = permissions + ", publickey-credentials-create=(self), publickey-credentials-get=(self)"
)

// scripted is added to the policy of a page with a script of ours.
const scripted = "; script-src 'self'; connect-src 'self'"

// otherScheme reports whether a form was sent from a page of the same host with another
// scheme. The standard library compares only the host (D27). If browsers send
// Sec-Fetch-Site, the browser has checked that.
func (s *Site) otherScheme(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return s.URL != nil && r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") == "" &&
		origin != "" && !strings.HasPrefix(origin, s.URL.Scheme+"://")
}

// Policy is the Content-Security-Policy of a page: no script, no framing, and forms may
// only go here. A redirect after a form may go to one further source ("" for none).
func Policy(further string) string {
	const strict = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if further == "" {
		return strict
	}
	return strict + " " + further
}
