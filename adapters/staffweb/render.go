package staffweb

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

//go:embed templates
var sources embed.FS

// templates are the pages by name, each within the frame that all pages share.
var templates = parse("sign_in", "second", "confirm", "passkeys", "authorise", "authorisations",
	"account", "password", "link", "people", "person", "invite", "handed", "sorry")

func parse(names ...string) map[string]*template.Template {
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[name] = template.Must(template.New(name).Funcs(template.FuncMap{"plain": plain}).ParseFS(sources, "templates/frame.html", "templates/parts.html", "templates/"+name+".html"))
	}
	return pages
}

// view is what a page shows, and how.
type view struct {
	name    string // of its template
	status  int
	title   string
	content any
	script  bool // it uses passkeys, which only a script can ask for
}

// frame is what every page shows around its content.
type frame struct {
	Title    string
	Practice string // "" on a page that belongs to no practice
	Base     string
	Style    string
	Icon     string
	Script   string          // "" for none
	Session  *signin.Session // nil if nobody is signed in
	SignOut  string          // the token of the form that signs out
	Ask      ask             // what the browser comes back to after signing in or out
	Content  any
}

// MayManagePeople reports whether the page people is for whoever is signed in.
func (f frame) MayManagePeople() bool { return f.Session.Roles.May(staff.ManagePeople) }

// show makes a whole page the answer of the visit or, if its template fails, a plain
// error.
func (p *Pages) show(v *visit, page view) {
	f := frame{
		Title: page.title, Practice: v.practice.Name, Base: v.base(),
		Style: styleURL, Icon: iconURL, Ask: v.ask, Content: page.content,
	}
	if v.signedIn {
		f.Session, f.SignOut = &v.session, v.session.FormToken("sign-out")
	}
	if page.script {
		f.Script = scriptURL
		v.w.Header().Set("Content-Security-Policy", policy("")+scripted)
		v.w.Header().Set("Permissions-Policy", passkeysAllowed)
	}
	v.body.Reset()
	v.status = page.status
	mediaType := "text/html; charset=utf-8"
	if err := templates[page.name].ExecuteTemplate(&v.body, "frame", f); err != nil {
		p.Log.ErrorContext(v.ctx(), "template failed", slog.String("page", page.name), slog.Any("error", err))
		v.body.Reset()
		v.body.WriteString(errInternal.Heading + "\n")
		v.status, mediaType = http.StatusInternalServerError, "text/plain; charset=utf-8"
	}
	v.w.Header().Set("Content-Type", mediaType)
	v.w.Header().Set("Content-Length", strconv.Itoa(v.body.Len()))
}

//go:embed assets/style.css
var style []byte

//go:embed assets/icon.svg
var icon []byte

//go:embed assets/passkey.js
var script []byte

// asset is a file that the pages of all practices share. Its address changes
// with its content, so browsers may keep it.
type asset struct {
	mediaType string
	content   []byte
}

const (
	stylePath  = "/staff/style.css"
	iconPath   = "/staff/icon.svg"
	scriptPath = "/staff/passkey.js"
)

var (
	assets = map[string]asset{
		stylePath: {"text/css; charset=utf-8", style}, iconPath: {"image/svg+xml", icon}, scriptPath: {"text/javascript; charset=utf-8", script},
	}
	styleURL  = stylePath + "?" + fingerprint(style)
	iconURL   = iconPath + "?" + fingerprint(icon)
	scriptURL = scriptPath + "?" + fingerprint(script)
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
