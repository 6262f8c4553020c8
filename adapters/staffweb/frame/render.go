package frame

import (
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

//go:embed templates
var shared embed.FS

var sorryPage = Templates(shared, "sorry")["sorry"]

// Templates reads the pages templates/NAME.html by name, each within the frame that all
// pages share, and with the section's own templates/shared*.html. It panics if one does not
// parse, as the program starts.
func Templates(files fs.FS, names ...string) map[string]*template.Template {
	pages := map[string]*template.Template{}
	own, _ := fs.Glob(files, "templates/shared*.html") // whose only error is a bad pattern
	for _, name := range names {
		page := template.Must(template.New(name).Funcs(template.FuncMap{"plain": Plain}).ParseFS(shared, "templates/frame.html", "templates/parts.html"))
		pages[name] = template.Must(page.ParseFS(files, append(own, "templates/"+name+".html")...))
	}
	return pages
}

// Script is a script of ours that a page needs.
type Script string

// The scripts.
const (
	NoScript Script = ""
	Passkeys Script = "passkey" // asks for passkeys, which only a script can
	Live     Script = "live"    // follows what happens
)

// View is what a page shows, and how.
type View struct {
	Template *template.Template
	Fragment string // the block of the template that is the whole answer; "" for a page
	Status   int
	Title    string
	Content  any
	Script   Script
}

// around is what every page shows around its content.
type around struct {
	Title    string
	Practice string // "" on a page that belongs to no practice
	Base     string
	Style    string
	Icon     string
	Script   string // its address; "" for none
	Live     bool
	Since    int64           // of a live page: an idx from which it has to be told on
	Again    string          // its address, for loading it again without a script
	Session  *signin.Session // nil if nobody is signed in
	SignOut  string          // the token of the form that signs out
	Sections []link
	Ask      Ask    // what the browser comes back to after signing in or out
	Help     string // says who helps; "" where patients look on
	Content  any
}

// helper names the role that can help. The only manager of a practice can ask the operator.
func helper(v *Visit) string {
	switch {
	case v.ofScreen:
		return ""
	case !v.SignedIn:
		return "If you need help, or have forgotten your password, ask a manager at your practice. If you are the manager, ask the operator of this service."
	case v.Session.Roles.Has(staff.Manager):
		return "If you need help, ask the operator of this service."
	}
	return "If you need help, ask a manager at your practice."
}

// Show makes a whole page the answer of the visit or, if its template fails, a plain
// error.
func (s *Site) Show(v *Visit, page View) {
	f := around{
		Title: page.Title, Practice: v.Practice.Name, Base: v.Base(),
		Style: styleURL, Icon: iconURL, Ask: v.Ask, Help: helper(v), Content: page.Content,
	}
	if v.SignedIn {
		f.Session, f.SignOut, f.Sections = &v.Session, v.Token("sign-out"), linksFor(v.Session.Roles, strings.TrimPrefix(v.R.URL.Path, v.Base()))
	}
	if page.Script != NoScript {
		f.Script = scriptURLs[page.Script]
		v.allow(page.Script)
	}
	if f.Live = page.Script == Live; f.Live {
		f.Since, f.Again = v.since, v.again()
	}
	block := page.Fragment
	if block == "" {
		block = "frame"
	}
	v.body.Reset()
	v.status = page.Status
	mediaType := "text/html; charset=utf-8"
	if err := page.Template.ExecuteTemplate(&v.body, block, f); err != nil {
		s.Log.ErrorContext(v.Context(), "template failed", slog.String("page", page.Template.Name()), slog.Any("error", err))
		v.body.Reset()
		v.body.WriteString(ErrInternal.Heading + "\n")
		v.status, mediaType = http.StatusInternalServerError, "text/plain; charset=utf-8"
	}
	v.sized(mediaType)
}

// allow lets the page run a script of ours, and ask for what the script is for.
func (v *Visit) allow(script Script) {
	v.Header().Set("Content-Security-Policy", Policy("")+scripted)
	if script == Passkeys {
		v.Header().Set("Permissions-Policy", passkeysAllowed)
	}
}
