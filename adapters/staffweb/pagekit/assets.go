package pagekit

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the files
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed assets/style.css
var style []byte

//go:embed assets/icon.svg
var icon []byte

//go:embed assets/passkey.js
var passkeyScript []byte

//go:embed assets/live.js
var liveScript []byte

//go:embed assets/shortcuts.js
var shortcutsScript []byte

//go:embed assets/session.js
var sessionScript []byte

// asset is a file shared by the pages of all practices. Its address changes with its
// content, so browsers may cache it.
type asset struct {
	mediaType string
	content   []byte
}

const (
	stylePath     = "/staff/style.css"
	iconPath      = "/staff/icon.svg"
	passkeyPath   = "/staff/passkey.js"
	livePath      = "/staff/live.js"
	sessionPath   = "/staff/session.js"
	shortcutsPath = "/staff/shortcuts.js"
)

var (
	assets = map[string]asset{
		stylePath: {"text/css; charset=utf-8", style}, iconPath: {"image/svg+xml", icon},
		passkeyPath: {"text/javascript; charset=utf-8", passkeyScript}, livePath: {"text/javascript; charset=utf-8", liveScript},
		sessionPath: {"text/javascript; charset=utf-8", sessionScript}, shortcutsPath: {"text/javascript; charset=utf-8", shortcutsScript},
	}
	styleURL     = stylePath + "?" + fingerprint(style)
	iconURL      = iconPath + "?" + fingerprint(icon)
	sessionURL   = sessionPath + "?" + fingerprint(sessionScript)
	shortcutsURL = shortcutsPath + "?" + fingerprint(shortcutsScript)
	scriptURLs   = map[Script]string{
		Passkeys: passkeyPath + "?" + fingerprint(passkeyScript), Live: livePath + "?" + fingerprint(liveScript), LiveParts: livePath + "?" + fingerprint(liveScript),
	}
)

// Style returns the stylesheet, for our pages that are not staff pages.
func Style() []byte { return style }

// Icon returns the page icon (SVG); see [Style].
func Icon() []byte { return icon }

func fingerprint(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", a.mediaType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}
