package pagekit

import (
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

//go:embed templates
var shared embed.FS

var errorTemplate = Templates(shared, "error")["error"]

// Templates parses the pages templates/NAME.html by name, each within the shared layout
// and with the section's own templates/shared*.html. It panics at startup if one does
// not parse.
func Templates(files fs.FS, names ...string) map[string]*template.Template {
	pages := map[string]*template.Template{}
	own, _ := fs.Glob(files, "templates/shared*.html") // whose only error is a bad pattern
	for _, name := range names {
		page := template.Must(template.New(name).Funcs(template.FuncMap{"plain": Plain}).ParseFS(shared, "templates/layout.html", "templates/parts.html"))
		pages[name] = template.Must(page.ParseFS(files, append(own, "templates/"+name+".html")...))
	}
	return pages
}

// Script is a script that a page needs.
type Script string

// The scripts.
const (
	NoScript Script = ""
	Passkeys Script = "passkey" // asks for passkeys, which needs a script
	Live     Script = "live"    // follows changes; without it, the page reloads every minute
	// LiveParts follows changes of parts of the page. Without it, the page stays as it is, because
	// a member of staff may be typing.
	LiveParts Script = "live-parts"
)

// View is the content of a page, and its settings.
type View struct {
	Template *template.Template
	Fragment string // the template block to return instead of a page; "" for a page
	Status   int
	Title    string
	Content  any
	Script   Script
}

// layout is the content that every page has around its own.
type layout struct {
	Title     string
	Practice  string // "" on a page without a practice
	Base      string
	Style     string
	Icon      string
	Script    string // its address; "" for none
	Shortcuts string // the address of their script; "" for none
	Live      bool
	Since     int64           // of a live page: the idx from which it follows changes
	Again     string          // its address, for reloading without a script; "" if it does not reload
	Session   *signin.Session // nil without a session
	SignOut   string          // the token of the form that signs out
	Reset     bool            // a reset of their account is requested
	News      []HistoryRow    // what happened since the last sign-in, on the first page after a sign-in
	// PasskeyFrom is the day from which they cannot work without a passkey; "" for none.
	PasskeyFrom string
	Sections    []link
	// FindPatient is the token of the form that finds a patient; "" without the right to.
	FindPatient string
	Ask         Ask // to continue with after signing in or out
	Carried     Carried
	Notice      string // above the content; "" for none
	Watch       *watch // nil without a session
	Unattended  bool   // a screen in a waiting room
	Help        string // the support contact; "" on pages that patients can see
	Guide       string // the address of the guide's section about the page
	Content     any
}

// supportContact names the role that can help. The only manager of a practice can ask the
// operator.
func supportContact(r *Request) string {
	switch {
	case r.unattended:
		return ""
	case !r.SignedIn:
		return "If you need help, or have forgotten your password, ask a manager at your practice. If you are the manager, ask the operator of this service."
	case r.Session.Roles.Has(staff.Manager):
		return "If you need help, ask the operator of this service."
	}
	return "If you need help, ask a manager at your practice."
}

// Show renders a whole page as the answer or, if its template fails, a plain error.
func (s *Site) Show(r *Request, page View) {
	l := layout{
		Title: page.Title, Practice: r.Practice.Name, Base: r.Base(),
		Style: styleURL, Icon: iconURL, Ask: r.Ask, Carried: r.Carried, Notice: r.notice, Help: supportContact(r), Guide: helpAddress(r), Content: page.Content, Unattended: r.unattended,
	}
	if r.SignedIn {
		l.Watch = s.watch(r)
		if s.HasShortcuts(r) {
			l.Shortcuts = shortcutsURL
		}
		r.allowScript(NoScript)
		l.Reset = projections.AskedReset{At: r.Session.ResetAt}.Waits(s.Now())
		l.Session, l.SignOut = &r.Session, r.Token("sign-out")
		l.News = s.news(r, page)
		s.showWays(r, &l)
	}
	if page.Script != NoScript {
		l.Script = scriptURLs[page.Script]
		r.allowScript(page.Script)
	}
	if l.Live = page.Script == Live || page.Script == LiveParts; l.Live {
		l.Since = r.head
	}
	if page.Script == Live {
		l.Again = r.reloadAddress()
	}
	block := page.Fragment
	if block == "" {
		block = "layout"
	}
	r.body.Reset()
	r.status = page.Status
	mediaType := "text/html; charset=utf-8"
	if err := page.Template.ExecuteTemplate(&r.body, block, l); err != nil {
		s.Log.ErrorContext(r.Context(), "template failed", slog.String("page", page.Template.Name()), slog.Any("error", err))
		r.body.Reset()
		r.body.WriteString(ErrInternal.Heading + "\n")
		r.status, mediaType = http.StatusInternalServerError, "text/plain; charset=utf-8"
	}
	r.setHeaders(mediaType)
}

// showWays adds the links to the pages that the member can use, and the day from which they
// need a passkey. A member who can only add a passkey gets no link.
func (s *Site) showWays(r *Request, l *layout) {
	if r.keyless {
		return
	}
	l.Sections = linksFor(r.Session.Roles, strings.TrimPrefix(r.HTTP.URL.Path, r.Base()))
	if r.Session.Roles.May(staff.SeePatients) {
		l.FindPatient = r.Token(FindPatient)
	}
	if by := r.Session.PasskeyBy; !by.IsZero() && s.TakesPasskeys() {
		l.PasskeyFrom = Day(by, r.Practice.Zone)
	}
}

// allowScript lets the page run our scripts, and use the features that the script needs.
func (r *Request) allowScript(script Script) {
	policy := r.Header().Get("Content-Security-Policy")
	r.Header().Set("Content-Security-Policy", strings.TrimSuffix(policy, scripted)+scripted)
	if script == Passkeys {
		r.Header().Set("Permissions-Policy", passkeysAllowed)
	}
}

// FindPatient is the purpose of the forms that search for patients.
const FindPatient = "patients"

// section is a page in the navigation.
type section struct {
	Label, Path string
	right       staff.Action
	Own         bool // it is linked from the account's page
}

// Tab is a link to a part of a page, or to another list of it. The template "tabs" lists them.
type Tab struct {
	Name, Address string
	Count         string // "" for none
	Here          bool
}

// link is a link of the navigation.
type link struct {
	section
	Here bool // the current page belongs to it
}

// sections are all of them, in display order.
var sections = []section{
	{Label: "Requests", Path: "/requests", right: staff.HandleRequests},
	{Label: "Patients", Path: "/patients", right: staff.SeePatients},
	{Label: "Appointments", Path: "/day", right: staff.RunTheDay},
	{Label: "Overview", Path: "/overview", right: staff.SeeOverview},
	{Label: "Opening hours", Path: "/opening", right: staff.ManageOpening},
	{Label: "Sites", Path: "/sites", right: staff.ManageSites},
	{Label: "Waiting room screens", Path: "/displays", right: staff.ManageDisplays},
	{Label: "Connected apps", Path: "/applications", right: staff.ManageApplications},
	{Label: "Staff", Path: "/people", right: staff.ManagePeople},
	{Label: "Teams", Path: "/teams", right: staff.ManageTeams},
	{Label: "Privacy", Path: "/privacy", right: staff.GuardPrivacy},
	{Label: "Texts for patients", Path: "/privacy-texts", right: staff.EditInformation},
	{Label: "Note templates", Path: "/note-templates", right: staff.EditNoteTemplates},
	{Label: "Apps that can act for you", Path: "/authorisations", right: staff.GiveOwnAuthorisations, Own: true},
}

// linksFor returns the links that these roles may use. At is the path of the current
// page, below the practice's pages.
func linksFor(roles staff.Roles, at string) (links []link) {
	for _, s := range sections {
		if roles.May(s.right) {
			links = append(links, link{s, at == s.Path || strings.HasPrefix(at, s.Path+"/")})
		}
	}
	return links
}

// Home is the path of the first page for these roles, below the practice's pages.
func Home(roles staff.Roles) string { return linksFor(roles, "")[0].Path }
