package staffweb

import (
	"net/http"
	"regexp"

	"frontdesk/domain/application"
)

// hardened tells browsers on every answer what they may not do with it, and
// accepts forms from this site only (D27).
func (p *Pages) hardened(next http.Handler) http.Handler {
	foreign := p.visited("foreign", func(*visit) error { return errForeign })
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(foreign)
	if p.URL != nil { // behind a proxy, the Host may differ from the one that browsers know
		_ = same.AddTrustedOrigin(p.URL.Scheme + "://" + p.URL.Host) // ParseURL has checked it
	}
	forms := same.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy(""))
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would also hide the Origin of our own forms
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if p.secure() {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		forms.ServeHTTP(w, r)
	})
}

// policy is the Content-Security-Policy of a page: no script, no frame around
// it, and forms that lead here only. A redirect that answers a form may lead to
// one further source ("" for none).
func policy(further string) string {
	const strict = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if further == "" {
		return strict
	}
	return strict + " " + further
}

// hostSource is a host as a policy can name it; an IPv6 address, for example,
// cannot be named.
var hostSource = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// formSource is the callback as a source of a policy: its origin or, where a
// policy cannot name the origin, its scheme (D27).
func formSource(way application.WayBack) string {
	if host := way.Host(); hostSource.MatchString(host) {
		return way.Scheme() + "://" + host
	}
	return way.Scheme() + ":"
}
