package staffweb

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/signin"
)

//go:embed templates
var sources embed.FS

// templates are the pages by name, each within the frame that all pages share.
var templates = parse("sign_in", "authorise", "authorisations", "sorry")

func parse(names ...string) map[string]*template.Template {
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[name] = template.Must(template.ParseFS(sources, "templates/frame.html", "templates/"+name+".html"))
	}
	return pages
}

// view is what a page shows, and how.
type view struct {
	name    string // of its template
	status  int
	title   string
	content any
}

// frame is what every page shows around its content.
type frame struct {
	Title    string
	Practice string // "" on a page that belongs to no practice
	Base     string
	Style    string
	Icon     string
	Session  *signin.Session // nil if nobody is signed in
	SignOut  string          // the token of the form that signs out
	Ask      ask             // what the browser comes back to after signing in or out
	Content  any
}

// show writes a whole page. If its template fails, it writes a plain error
// instead.
func (p *Pages) show(v *visit, page view) {
	f := frame{
		Title: page.title, Practice: v.practice.Name, Base: v.base(),
		Style: styleURL, Icon: iconURL, Ask: v.ask, Content: page.content,
	}
	if v.signedIn {
		f.Session, f.SignOut = &v.session, v.session.FormToken("sign-out")
	}
	var body bytes.Buffer
	if err := templates[page.name].ExecuteTemplate(&body, "frame", f); err != nil {
		p.Log.ErrorContext(v.ctx(), "template failed", slog.String("page", page.name), slog.Any("error", err))
		http.Error(v.w, errInternal.Heading, http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Length", fmt.Sprint(body.Len()))
	v.w.WriteHeader(page.status)
	_, _ = body.WriteTo(v.w) // the only error is a browser that has gone away
}

//go:embed assets/style.css
var style []byte

//go:embed assets/icon.svg
var icon []byte

// asset is a file that the pages of all practices share. Its address changes
// with its content, so browsers may keep it.
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
