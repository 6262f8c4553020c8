package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// The results of a request for a page.
const (
	in      = "in"      // the page answers, even if the form is invalid
	asked   = "asked"   // to sign in
	refused = "refused" // by role
	dark    = "dark"    // no screen of a display
)

// The access to each page, written by hand a second time. First column: strangers, and
// members signed in at another practice. Then members of staff without a role, a
// receptionist, a clinician, a manager and a privacy officer.
var verdicts = map[string][6]string{
	"GET ":                                  {asked, in, in, in, in, in},
	"GET /":                                 {asked, in, in, in, in, in},
	"GET /help":                             {in, in, in, in, in, in},
	"GET /help/{picture}":                   {in, in, in, in, in, in},
	"GET /sign-in":                          {in, in, in, in, in, in},
	"POST /sign-in":                         {in, in, in, in, in, in},
	"POST /sign-in/passkey":                 {in, in, in, in, in, in},
	"GET /sign-in/second":                   {asked, in, in, in, in, in}, // after the password
	"POST /sign-in/second":                  {asked, asked, asked, asked, asked, asked},
	"POST /challenge":                       {in, in, in, in, in, in},
	"GET /confirm":                          {asked, in, in, in, in, in},
	"POST /confirm":                         {asked, in, in, in, in, in},
	"GET /account/passkeys":                 {asked, in, in, in, in, in},
	"POST /account/passkeys":                {asked, in, in, in, in, in},
	"GET /session":                          {in, in, in, in, in, in},
	"POST /session":                         {in, in, in, in, in, in},
	"POST /sign-out":                        {in, in, in, in, in, in},
	"GET /link/{secret}":                    {in, in, in, in, in, in},
	"GET /link":                             {in, in, in, in, in, in},
	"POST /link":                            {in, in, in, in, in, in},
	"GET /authorise":                        {asked, in, in, in, in, in},
	"POST /authorise":                       {asked, in, in, in, in, in},
	"GET /authorisations":                   {asked, in, in, in, in, in},
	"POST /authorisations":                  {asked, in, in, in, in, in},
	"GET /account":                          {asked, in, in, in, in, in},
	"GET /account/password":                 {asked, in, in, in, in, in},
	"POST /account/password":                {asked, in, in, in, in, in},
	"POST /account/sessions":                {asked, in, in, in, in, in},
	"GET /account/record":                   {asked, in, in, in, in, in},
	"POST /account/shortcuts":               {asked, in, in, in, in, in},
	"POST /account/reset":                   {asked, in, in, in, in, in},
	"GET /patients":                         {asked, refused, in, in, refused, refused},
	"POST /patients":                        {asked, refused, in, in, refused, refused},
	"GET /patients/register":                {asked, refused, in, in, refused, refused},
	"POST /patients/register":               {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}":               {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}/glass":         {asked, refused, in, in, refused, refused},
	"POST /patients/{patient}/glass":        {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}/timeline":      {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}/details":       {asked, refused, in, in, refused, refused},
	"POST /patients/{patient}/details":      {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}/contact":       {asked, refused, in, in, refused, refused},
	"POST /patients/{patient}/contact":      {asked, refused, in, in, refused, refused},
	"GET /patients/{patient}/notes":         {asked, refused, in, in, refused, refused},
	"POST /patients/{patient}/notes":        {asked, refused, in, in, refused, refused},
	"GET /people":                           {asked, refused, refused, refused, in, refused},
	"POST /people":                          {asked, refused, refused, refused, in, refused},
	"GET /people/passkeys":                  {asked, refused, refused, refused, in, refused},
	"POST /people/passkeys":                 {asked, refused, refused, refused, in, refused},
	"GET /board/{site}/events":              {dark, dark, dark, dark, dark, dark},
	"GET /board/{site}":                     {dark, dark, dark, dark, dark, dark},
	"GET /displays/link":                    {in, in, in, in, in, in},
	"POST /displays/link":                   {in, in, in, in, in, in},
	"GET /displays/link/{display}/{secret}": {in, in, in, in, in, in},
	"GET /displays":                         {asked, refused, refused, refused, in, refused},
	"POST /displays":                        {asked, refused, refused, refused, in, refused},

	"GET /note-templates":                     {asked, refused, refused, refused, in, refused},
	"POST /note-templates":                    {asked, refused, refused, refused, in, refused},
	"GET /teams":                              {asked, refused, refused, refused, in, refused},
	"POST /teams":                             {asked, refused, refused, refused, in, refused},
	"GET /requests":                           {asked, refused, in, in, refused, refused},
	"POST /requests":                          {asked, refused, in, in, refused, refused},
	"GET /requests/{request}":                 {asked, refused, in, in, refused, refused},
	"POST /requests/{request}":                {asked, refused, in, in, refused, refused},
	"GET /requests/{request}/patient":         {asked, refused, in, in, refused, refused},
	"POST /requests/{request}/patient":        {asked, refused, in, in, refused, refused},
	"GET /requests/{request}/attachments/{n}": {asked, refused, in, in, refused, refused},

	"GET /privacy-texts":                    {asked, refused, refused, refused, in, in},
	"POST /privacy-texts":                   {asked, refused, refused, refused, in, refused},
	"GET /privacy":                          {asked, refused, refused, refused, refused, in},
	"POST /privacy":                         {asked, refused, refused, refused, refused, in},
	"GET /privacy/refused":                  {asked, refused, refused, refused, refused, in},
	"GET /privacy/erasures":                 {asked, refused, refused, refused, refused, in},
	"GET /privacy/erasures/{erasure}":       {asked, refused, refused, refused, refused, in},
	"GET /privacy/checkpoint":               {asked, refused, refused, refused, refused, in},
	"POST /privacy/checkpoint":              {asked, refused, refused, refused, refused, in},
	"GET /privacy/checkpoint/newest":        {asked, refused, refused, refused, refused, in},
	"GET /privacy/patients/{patient}":       {asked, refused, refused, refused, refused, in},
	"POST /privacy/patients/{patient}":      {asked, refused, refused, refused, refused, in},
	"POST /privacy/patients/{patient}/copy": {asked, refused, refused, refused, refused, in},

	"GET /overview":                    {asked, refused, refused, refused, in, refused},
	"GET /opening":                     {asked, refused, refused, refused, in, refused},
	"POST /opening":                    {asked, refused, refused, refused, in, refused},
	"GET /opening/type/{type}":         {asked, refused, refused, refused, in, refused},
	"GET /opening/close":               {asked, refused, refused, refused, in, refused},
	"GET /opening/reopen":              {asked, refused, refused, refused, in, refused},
	"GET /applications":                {asked, refused, refused, refused, in, refused},
	"GET /applications/{application}":  {asked, refused, refused, refused, in, refused},
	"POST /applications/{application}": {asked, refused, refused, refused, in, refused},

	"GET /day":                {asked, refused, in, in, refused, refused},
	"GET /day/book":           {asked, refused, in, in, refused, refused},
	"POST /day/book":          {asked, refused, in, in, refused, refused},
	"GET /day/{appointment}":  {asked, refused, in, in, refused, refused},
	"POST /day/{appointment}": {asked, refused, in, in, refused, refused},
	"GET /sites":              {asked, refused, refused, refused, in, refused},
	"POST /sites":             {asked, refused, refused, refused, in, refused},
	"GET /sites/{site}":       {asked, refused, refused, refused, in, refused},
	"POST /sites/{site}":      {asked, refused, refused, refused, in, refused},

	"GET /events": {asked, in, in, in, in, in}, // each topic has a right of its own
}

// verdict returns the result of a browser's request for a page of Elm Street.
func verdict(b *browser, route string) string {
	b.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	answer := b.do(method, "/elm-street/staff"+path, url.Values{})
	switch to, _, _ := strings.Cut(answer.Header.Get("Location"), "?app"); {
	case to == "/elm-street/staff/sign-in", strings.HasPrefix(to, "/elm-street/staff/sign-in?then="):
		return asked
	case answer.StatusCode == http.StatusForbidden && strings.Contains(answer.body, "This screen is not connected"):
		return dark
	case answer.StatusCode == http.StatusForbidden && strings.Contains(answer.body, "You cannot use this page"):
		if !strings.Contains(answer.body, "Only a") {
			b.t.Errorf("%s does not say who may:\n%s", route, answer.body)
		}
		return refused
	}
	return in
}

func TestPageAccessByRole_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(verdicts)), slices.Sorted(slices.Values(staffweb.Served(s.pages)))); diff != "" {
		t.Fatalf("the table and what is served differ (-table +served):\n%s", diff)
	}
	columns := []*browser{s.browser(t), s.browser(t)}
	for n, role := range staff.AllRoles() {
		s.register(t, elm, "dr."+string(role), "Somebody", false)
		must(t, commands.Desk{Store: s.store, Staff: s.pages.Desk.Staff}.SetStaffRoles(t.Context(),
			commands.SetStaffRoles{Tenant: elm, Username: "dr." + string(role), Roles: staff.Roles{role}}))
		columns = append(columns, s.browser(t))
		columns[n+2].signIn(elm, "dr."+string(role))
	}
	columns[1].signIn(elm, "dr.lee")
	elsewhere := s.browser(t)
	elsewhere.signIn(oak, "dr.lee")
	for route, want := range verdicts {
		for n, b := range columns {
			if got := verdict(b, route); got != want[n] {
				t.Errorf("%s, column %d: %s, want %s", route, n, got, want[n])
			}
		}
		if got := verdict(elsewhere, route); got != want[0] {
			t.Errorf("%s, signed in at another practice: %s, want %s", route, got, want[0])
		}
	}
}

func TestNewRolesApplyToNextPage_D63(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	b.get("/elm-street/staff/people").wants(t, http.StatusOK, "", `<a href="/elm-street/staff/people" aria-current="true">Staff</a>`)
	must(t, s.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: "dr.may", Roles: staff.Roles{staff.Clinician}}))
	page := b.get("/elm-street/staff/people")
	page.wants(t, http.StatusForbidden, "", "Only a manager can do this.")
	if strings.Contains(page.body, "Dr Lee") || strings.Contains(page.body, ">People</a>") {
		t.Errorf("the page shows people:\n%s", page.body)
	}
}
