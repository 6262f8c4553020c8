package staffweb

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the files below
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed assets/style.css
var style []byte

//go:embed assets/icon.svg
var icon []byte

// asset is a file that pages of all practices share. Its address changes with
// it, so browsers may keep it.
type asset struct {
	mediaType string
	content   []byte
}

const (
	stylePath = "/staff/style.css"
	iconPath  = "/staff/icon.svg"
)

var (
	assets   = map[string]asset{stylePath: {"text/css; charset=utf-8", style}, iconPath: {"image/svg+xml", icon}}
	styleURL = stylePath + "?" + fingerprint(style)
	iconURL  = iconPath + "?" + fingerprint(icon)
)

func fingerprint(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", a.mediaType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}
