package people

import (
	"embed"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/cases"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/erasure"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// Section is the pages about the practice's staff. All fields are needed.
type Section struct {
	*pagekit.Site
	People    projections.People
	SignIns   projections.SignIns
	Requested projections.ErasureRequests
	Teams     projections.Teams

	PasskeyRules history.PasskeyRules
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "people", "person", "invite", "handed", "passkeys", "teams", "team")

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/people", "people", pagekit.FormMethods(staff.ManagePeople, s.people, s.changePeople)),
		pagekit.NewRoute("/teams", "teams", pagekit.FormMethods(staff.ManageTeams, s.teams, s.setTeam)),
		pagekit.NewRoute("/people/passkeys", "passkey-rule", pagekit.FormMethods(staff.RequirePasskeys, s.passkeyRule, s.setPasskeyRule)),
	}
}

var errNoMember = pagekit.NewErrorPage(http.StatusNotFound, "We could not find that member of staff",
	"Nothing has been changed.", "Go back to Staff and look for them there.")

// peoplePage is the list of members of staff, or part of it.
type peoplePage struct {
	Done                   string // the last action; "" for none
	Find                   string // the search text; "" for all
	People                 []personRow
	Found                  int
	Page, Pages            int
	PreviousPage, NextPage int          // 0 for none
	Erasures               []erasureRow // that wait for a second person
	Token                  string
}

// erasureRow is a requested erasure. Managers see who requested it, but not whose data it
// is.
type erasureRow struct{ By, Asked, From, Until string }

// personRow is one member of staff.
type personRow struct {
	projections.Person
	You      bool
	Roles    string // in words
	Standing string // why they cannot sign in; "" if they can
	LastIn   string // the day on which they last signed in; "" for none
}

// peopleShown is the page size.
const peopleShown = 50

// people shows managers the practice's staff: all, or one of them, or the form of an
// invitation.
func (s *Section) people(r *pagekit.Request) error {
	if r.Form.Has("invite") {
		return s.inviteForm(r)
	}
	members, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	if !r.Form.Has("member") {
		return s.showList(r, members, "")
	}
	person, err := memberOf(r, members)
	if err != nil {
		return err
	}
	return s.showPerson(r, http.StatusOK, personPage{Person: person, Done: doneTexts[r.Form.Get("done")]})
}

// memberOf is the member of staff in the form or the address. All are of this practice.
func memberOf(r *pagekit.Request, members []projections.Person) (projections.Person, error) {
	id, ok := parse.ID(r.Form.Get("member"))
	i := slices.IndexFunc(members, func(o projections.Person) bool { return o.Staff.UUID == id })
	if !ok || i < 0 {
		return projections.Person{}, errNoMember
	}
	return members[i], nil
}

// showList shows one page of the people.
func (s *Section) showList(r *pagekit.Request, people []projections.Person, find string) error {
	last := max(1, (len(people)+peopleShown-1)/peopleShown)
	number, _ := strconv.Atoi(r.Form.Get("page")) // anything else is the first
	number = min(max(1, number), last)
	page := peoplePage{Find: find, Found: len(people), Page: number, Pages: last, PreviousPage: number - 1, Token: r.Session.FormToken("people")}
	if number < last {
		page.NextPage = number + 1
	}
	rows, err := s.rowsOf(r, people[(number-1)*peopleShown:min(number*peopleShown, len(people))]...)
	if err != nil {
		return err
	}
	page.People = rows
	if find == "" {
		if page.Erasures, err = s.erasures(r, people); err != nil {
			return err
		}
	}
	s.Show(r, pagekit.View{Template: templates["people"], Status: http.StatusOK, Title: "Staff", Content: page})
	return nil
}

// mostErasures bounds the list.
const mostErasures = 50

// erasures returns those that wait, so that every manager learns of each within the day
// before it can be confirmed.
func (s *Section) erasures(r *pagekit.Request, members []projections.Person) (rows []erasureRow, err error) {
	waiting, err := s.Requested.Waiting(r.Context(), r.Tenant, s.Now(), projections.RequestedErasure{}, mostErasures)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		by := "An operator of this service"
		if i := slices.IndexFunc(members, func(o projections.Person) bool { return o.Staff.UUID == w.Staff }); i >= 0 {
			by = members[i].Name
		} else if w.Staff != uuid.Nil {
			by = "A former member of staff"
		}
		moment := func(after time.Duration) string { return pagekit.Moment(w.AskedAt.Add(after), r.Practice.Zone) }
		rows = append(rows, erasureRow{by, moment(0), moment(erasure.Soonest), moment(erasure.Latest)})
	}
	return rows, nil
}

// rowsOf are people as rows.
func (s *Section) rowsOf(r *pagekit.Request, people ...projections.Person) (rows []personRow, err error) {
	last, err := s.SignIns.Last(r.Context(), r.Tenant)
	if err != nil {
		return nil, err
	}
	for _, person := range people {
		row := personRow{Person: person, You: person.Staff == r.Session.Staff, Roles: pagekit.RoleList(person.Roles), Standing: s.signInObstacle(r, person)}
		if at, ok := last[person.Staff]; ok {
			row.LastIn = pagekit.Day(at, r.Practice.Zone)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// signInObstacle returns why a member cannot sign in.
func (s *Section) signInObstacle(r *pagekit.Request, person projections.Person) string {
	switch until := pagekit.Clock(person.LinkUntil, r.Practice.Zone); {
	case !person.Active:
		return "Deactivated"
	case person.SignsIn:
		return ""
	case person.LinkUntil.IsZero():
		return "No password and no link"
	case s.Now().Before(person.LinkUntil):
		return "Unused link expires " + until
	default:
		return "Unused link expired " + until
	}
}

// findPeople lists those whose name or username contains the text. It is a POST, so
// that no address contains a name.
func (s *Section) findPeople(r *pagekit.Request) error {
	members, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	find := strings.TrimSpace(r.Form.Get("find"))
	fold := cases.Fold()
	typed := fold.String(find)
	found := slices.DeleteFunc(members, func(person projections.Person) bool {
		return !strings.Contains(fold.String(person.Name+"\n"+person.Username), typed)
	})
	return s.showList(r, found[:min(len(found), peopleShown)], find)
}

// roleChoice is one role that can be ticked.
type roleChoice struct {
	Role   staff.Role
	Name   string
	Ticked bool
}

// firstRole is the target of links to the roles.
const firstRole = "role-" + string(staff.Receptionist)

// choices are all roles, with the ticked ones.
func choices(ticked []staff.Role) []roleChoice {
	all := []roleChoice{}
	for _, role := range staff.AllRoles() {
		all = append(all, roleChoice{role, pagekit.RoleNames[role], slices.Contains(ticked, role)})
	}
	return all
}

// ticked are the roles in the form, valid or not.
func ticked(r *pagekit.Request) (roles staff.Roles) {
	for _, role := range r.Form["role"] {
		roles = append(roles, staff.Role(role))
	}
	return roles
}
