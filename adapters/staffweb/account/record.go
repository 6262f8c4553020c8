package account

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// recordShown is the page size.
const recordShown = 50

// recordPage is a part of the records about the member, without the names of patients.
type recordPage struct {
	About string
	Tabs  []pagekit.Tab
	Rows  []recordRow
	Older string // the address of the older rows; "" for none
	First string // the address of the newest rows; "" if they are on the page
}

// recordRow is a row, with the address of its patient's page for those who may use it.
type recordRow struct{ At, What, Patient string }

// recordPart is a part of the record.
type recordPart struct {
	word, name, about string
	read              func(*Section, *pagekit.Request, string) (rows []recordRow, older string, err error)
}

// recordParts are the parts. The first one is shown first.
var recordParts = []recordPart{
	{"sign-ins", "Sign-ins", "Each time you signed in.", (*Section).ownSignIns},
	{"openings", "Openings", "Each record, request and file that you opened, and your changes.", (*Section).ownEntries},
	{"lists", "Lists and apps", "Each page that showed you patients, and each call of an app for you. A line of a page covers the ten minutes after it.", (*Section).ownLines},
}

// record shows the records about the member.
func (s *Section) record(r *pagekit.Request) error {
	n := max(0, slices.IndexFunc(recordParts, func(p recordPart) bool { return p.word == r.Form.Get("show") }))
	address := func(word, before string) string {
		query := url.Values{"show": {word}}
		if before != "" {
			query.Set("before", before)
		}
		return r.Base() + "/account/record?" + query.Encode()
	}
	part, before := recordParts[n], r.Form.Get("before")
	rows, older, err := part.read(s, r, before)
	if err != nil {
		return err
	}
	page := recordPage{About: part.about, Rows: rows}
	for _, p := range recordParts {
		page.Tabs = append(page.Tabs, pagekit.Tab{Name: p.name, Address: address(p.word, ""), Here: p.word == part.word})
	}
	if older != "" {
		page.Older = address(part.word, older)
	}
	if before != "" {
		page.First = address(part.word, "")
	}
	s.Show(r, pagekit.View{Template: templates["record"], Status: http.StatusOK, Title: "Records about you", Content: page})
	return nil
}

// howTexts are the ways to sign in, after "Signed in".
var howTexts = map[staff.How]string{
	staff.ByPassword: "by password", staff.ByPasskey: "by passkey", staff.ByPasswordAndPasskey: "by password and passkey", staff.ByLink: "by a link",
}

// ownSignIns reads one row more than a page has.
func (s *Section) ownSignIns(r *pagekit.Request, before string) (rows []recordRow, older string, err error) {
	micros, _ := strconv.ParseInt(before, 10, 64) // anything else is the newest
	var at time.Time
	if micros > 0 {
		at = time.UnixMicro(micros)
	}
	found, err := s.Own.SignIns(r.Context(), r.Tenant, r.Session.Staff, at, recordShown+1)
	for n, f := range found {
		if n == recordShown {
			return rows, strconv.FormatInt(found[n-1].At.UnixMicro(), 10), err
		}
		rows = append(rows, recordRow{At: pagekit.Moment(f.At, r.Practice.Zone), What: "Signed in " + howTexts[f.How]})
	}
	return rows, "", err
}

func (s *Section) ownEntries(r *pagekit.Request, before string) (rows []recordRow, older string, err error) {
	idx, _ := strconv.ParseInt(before, 10, 64)
	found, err := s.Own.Entries(r.Context(), r.Tenant, r.Session.Staff, max(0, idx), recordShown+1)
	for n, f := range found {
		if n == recordShown {
			return rows, strconv.FormatInt(found[n-1].Idx, 10), err
		}
		rows = append(rows, recordRow{pagekit.Moment(f.At, r.Practice.Zone), "You " + f.Kind.Words(), patientAddress(r, f.Patient)})
	}
	return rows, "", err
}

// patientAddress is the address of a patient's page; "" for a member who may not use it.
func patientAddress(r *pagekit.Request, id patient.ID) string {
	if !r.Session.Roles.May(staff.SeePatients) {
		return ""
	}
	return r.Base() + "/patients/" + id.String()
}

func (s *Section) ownLines(r *pagekit.Request, before string) (rows []recordRow, older string, err error) {
	from, ok := parse.ID(before)
	if !ok {
		from = uuid.Nil
	}
	found, err := s.Own.Lines(r.Context(), r.Tenant, r.Session.Staff, from, recordShown+1)
	for n, f := range found {
		if n == recordShown {
			return rows, found[n-1].RequestID.String(), err
		}
		rows = append(rows, recordRow{At: pagekit.Moment(f.At, r.Practice.Zone), What: lineText(f)})
	}
	return rows, "", err
}

// lineText describes a line of the access record to its member: a page, the call of an app or,
// as a line of its own, the patients that the answer to a call showed.
func lineText(f history.OwnLine) string {
	words, shown := history.Describe(string(f.Endpoint)), pagekit.Counted(f.Patients, "patient")
	asked, isAnswer := strings.CutPrefix(words, "call: ")
	switch {
	case f.Mode == access.ByPage && isAnswer:
		return "An app asked to " + asked + " for you, and was shown " + shown
	case f.Mode == access.ByPage:
		return "You " + strings.Replace(words, "the patient", shown, 1)
	}
	text := f.Application + " asked to " + pagekit.EndpointWords(f.Endpoint) + " for you"
	if f.Status >= http.StatusBadRequest {
		text += ", and was refused"
	}
	return text
}
