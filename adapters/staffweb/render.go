package staffweb

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"

	"frontdesk/adapters/staffweb/signin"
)

//go:embed templates
var sources embed.FS

// templates are the pages by their names, each within the frame that all of
// them share.
var templates = parse("sign_in", "authorise", "authorisations", "sorry")

func parse(names ...string) map[string]*template.Template {
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[name] = template.Must(template.ParseFS(sources, "templates/frame.html", "templates/"+name+".html"))
	}
	return pages
}

// view is what a page shows and how.
type view struct {
	name    string // of its template
	status  int
	title   string
	content any
}

// frame is what every page shows.
type frame struct {
	Title    string
	Practice string // "" on a page of no practice
	Base     string
	Style    string
	Icon     string
	Session  *signin.Session // nil when nobody is signed in
	SignOut  string          // the token of that form
	Ask      ask             // what signing in and out come back to
	Content  any
}

// show writes a page, all of it or, if its template fails, nothing of it.
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
	_, _ = body.WriteTo(v.w) // a browser that has gone away cannot be told so
}
