package staffweb

import "net/http"

// hardened says on every answer what browsers may not do with it, and takes
// forms from this site alone (D27).
func (p *Pages) hardened(next http.Handler) http.Handler {
	foreign := p.visited("foreign", func(*visit) error { return errForeign })
	same := http.NewCrossOriginProtection()
	same.SetDenyHandler(foreign)
	if p.URL != nil { // a proxy may have another Host than browsers know
		_ = same.AddTrustedOrigin(p.URL.Scheme + "://" + p.URL.Host) // New has checked it
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

// policy is the Content-Security-Policy of a page: no code at all, no frame
// around it, and forms that lead here or, through the redirect that answers
// them, to one place besides.
func policy(besides string) string {
	const strict = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if besides == "" {
		return strict
	}
	return strict + " " + besides
}
