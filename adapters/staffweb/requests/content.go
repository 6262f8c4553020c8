package requests

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// requestPage is the page of a request.
type requestPage struct {
	pagekit.FormErrors
	Done            string // the last action; "" for none
	ID              request.ID
	Patient         patient.ID
	Name, Born      string
	Telephone       string // "" if it is unknown or hidden
	Kind, At        string
	Urgent, ByProxy bool
	InError         bool   // it must not be relied on
	Why             string // the reason for that; "" if it is hidden
	Standing        string
	Closed          bool // the content is hidden
	Proxy           *request.Proxy
	Answers         []request.Answer
	Files           []file
	History         []entry
	Others          []other
	IsDone, Held    bool // Held: a member of staff has it
	MayComplete     bool
	Words           pagekit.Area
	Answer          answerPart
	Outcome, To     pagekit.Choice
	Until           pagekit.Field
	Seen, Token     string
	List            listed // the list that the page was opened from
	ListName, Back  string
	Previous, Next  string // addresses of its neighbours in the list; "" for none
	Templates       []projections.NoteTemplate
	viewersPage
}

// file is an attachment in the list.
type file struct {
	N          int
	Name, Kind string
	ShownHere  bool
}

// entry is one line of the history.
type entry struct{ What, At, Text string }

// other is another request of the patient.
type other struct {
	ID                 request.ID
	Kind, At, Standing string
}

// othersShown limits the patient's other requests on the page; their own page has all.
const othersShown = 10

// contentOf is the content of a request's page.
func (s *Section) contentOf(r *pagekit.Request, found history.Request, response response) (content requestPage, err error) {
	names, err := s.Patients(r, found.Patient)
	if err != nil {
		return content, err
	}
	name, known := names[found.Patient]
	if !known {
		return content, errNoRequest
	}
	sees, err := s.hasAccess(r, found.Patient)
	if err != nil {
		return content, err
	}
	content = requestPage{
		FormErrors: response.FormErrors, Done: response.done, ID: found.ID, Patient: found.Patient, Name: name.Name, Born: pagekit.BornAndAge(name.BirthDate, s.Now().In(r.Practice.Zone)),
		Kind: pagekit.RequestNames[found.Type], At: s.When(r, found.SubmittedAt), Urgent: found.Urgent, ByProxy: found.Proxy != nil,
		Closed: !sees, IsDone: found.Done != nil, Held: found.Holder != staff.ID{},
		MayComplete: found.Holder == staff.ID{} || found.Holder == r.Session.Staff,
		Standing:    s.stateText(r, found), Seen: seenOf(found), Token: r.Token(purpose(r)),
		History: s.historyOf(r, found, sees),
	}
	if sees {
		contacts, err := s.Contacts.Find(r.Context(), r.Tenant, found.Patient)
		if err != nil {
			return content, err
		}
		content.Telephone = contacts[found.Patient].Telephone
	}
	if content.Answer, err = s.answerOf(r, found, sees, response); err != nil {
		return content, err
	}
	content.fill(found, response)
	if err := s.place(r, found, &content); err != nil {
		return content, err
	}
	if content.To, err = s.colleagues(r, found, response); err != nil {
		return content, err
	}
	if content.Templates, err = s.Templates.List(r.Context(), r.Tenant); err != nil {
		return content, err
	}
	if content.Viewers, err = s.viewersOf(r, found.Patient, found.ID); err != nil {
		return content, err
	}
	content.Others, err = s.othersOf(r, found)
	return content, err
}

// place finds the request's place in the list that its page was opened from.
func (s *Section) place(r *pagekit.Request, found history.Request, content *requestPage) error {
	before, behind, err := s.neighbours(r, found)
	if err != nil {
		return err
	}
	content.List = listedBy(r)
	content.ListName, content.Back = tabNames[content.List.Tab], content.List.address(r)
	address := func(id request.ID) string {
		if id == (request.ID{}) {
			return ""
		}
		return content.List.addressOf(r, id)
	}
	content.Previous, content.Next = address(before), address(behind)
	return nil
}

// neighbours returns the requests before and behind a request in the list that its page
// was opened from. It keeps its place when it leaves the list.
func (s *Section) neighbours(r *pagekit.Request, found history.Request) (before, behind request.ID, err error) {
	filter := s.filterOf(r)
	filter.After = projections.InboxRow{Request: found.ID, Urgent: found.Urgent, SubmittedAt: found.SubmittedAt}.Place()
	if filter.Tab == projections.InboxDone && found.Done != nil {
		filter.After.At = found.Done.At
	}
	return s.Inbox.Neighbours(r.Context(), r.Tenant, filter)
}

// fill adds the patient's text, unless the record is closed to the member, and the
// fields.
func (p *requestPage) fill(found history.Request, response response) {
	p.Words = textField(found, response)
	p.Outcome = pagekit.Choice{ID: "outcome", None: "Choose", Label: "Outcome", Options: outcomesOf(response.typed.outcome), Fault: response.Fault("outcome")}
	p.Until = pagekit.Field{ID: "until", Kind: "text", Optional: true, Fill: "off", Label: "Put off until", Hint: "Such as 3 5 2026. It is new again on that day.", Value: response.typed.until, Fault: response.Fault("until")}
	p.InError = found.InError != nil
	if p.Closed {
		p.Words.Label = "Your text, which is not saved yet"
		if p.Answer.Field != nil {
			p.Answer.Field.Label = "Your reply, which is not sent yet"
		}
		return
	}
	if p.InError {
		p.Why = found.InError.Reason
	}
	p.Proxy, p.Answers = found.Proxy, found.Answers
	for n, a := range found.Attachments {
		kind := kindOf(a.ContentType)
		p.Files = append(p.Files, file{n + 1, harmless(a.FileName), kind.words, kind.shownHere})
	}
}

// stateText describes the state of the request.
func (s *Section) stateText(r *pagekit.Request, found history.Request) string {
	has := holder{found.Holder, found.Team != (staff.TeamID{}), found.HolderName, found.HolderLeft}
	if found.Done != nil {
		return s.holderText(r, has, &found.Done.At)
	}
	text := orUnassigned(s.holderText(r, has, nil))
	if found.Until > s.Today(r) {
		text = "Later, until " + dayOf(found.Until) + ". " + text
	}
	return text
}

func orUnassigned(holderText string) string {
	if holderText == "" {
		return "Unassigned"
	}
	return holderText
}

// historyOf is the history of events, newest first.
func (s *Section) historyOf(r *pagekit.Request, found history.Request, sees bool) (history []entry) {
	for _, h := range found.History {
		what, text := eventClause(r, h)
		if !sees {
			text = ""
		}
		history = append(history, entry{what, s.When(r, h.At), text})
	}
	slices.Reverse(history)
	return history
}

// othersOf are the newest other requests of the patient, without their texts.
func (s *Section) othersOf(r *pagekit.Request, found history.Request) (others []other, err error) {
	rows, _, err := s.Inbox.OfPatient(r.Context(), r.Tenant, found.Patient, projections.InboxPlace{}, othersShown+1)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Request != found.ID && len(others) < othersShown {
			others = append(others, other{row.Request, pagekit.RequestNames[row.Type], s.When(r, row.SubmittedAt), orUnassigned(s.holderText(r, holderOf(row), row.DoneAt))})
		}
	}
	return others, nil
}

// teamValue begins the value of a team in the choice.
const teamValue = "team-"

// colleagues are the teams and the members of staff who can get the request, with the number of
// requests that each has: current members who handle requests, except its holder.
func (s *Section) colleagues(r *pagekit.Request, found history.Request, response response) (pagekit.Choice, error) {
	to := pagekit.Choice{ID: "to", None: "Choose", Label: "Assign to a colleague or a team", Fault: response.Fault("to")}
	all, err := s.Teams.Workloads(r.Context(), r.Tenant, s.Today(r))
	if err != nil {
		return to, err
	}
	for _, w := range all {
		name, value := pagekit.Plain(w.Name), w.Member.String()
		switch {
		case w.Team != staff.TeamID{}:
			name, value = name+" (team)", teamValue+w.Team.String()
		case !w.Active || !w.Roles.May(staff.HandleRequests):
			continue
		case w.Member == r.Session.Staff:
			name += " (you)"
		}
		if w.Member == found.Holder && w.Team == found.Team {
			continue
		}
		to.Options = append(to.Options, pagekit.Option{Value: value, Name: name + ", " + counted(w.Open) + " open", Chosen: value == response.typed.to})
	}
	return to, nil
}

// readersHint is the hint about the readers of staff's texts on a request.
const readersHint = "Colleagues can see this. The patient will see it if they make a subject access request."

// textField is the one field for staff's texts on a request. The typed text stays until
// an action uses it.
func textField(found history.Request, response response) pagekit.Area {
	label := "Note (saved with the outcome)"
	if found.Done != nil {
		label = "Note, or reason for reopening"
	}
	return pagekit.Area{ID: "text", Label: label, Hint: readersHint, Value: response.typed.text, Fault: response.Fault("text")}
}

func outcomesOf(chosen string) (options []pagekit.Option) {
	for _, outcome := range request.Outcomes() {
		options = append(options, pagekit.Option{Value: string(outcome), Name: outcomeNames[outcome], Chosen: string(outcome) == chosen})
	}
	return options
}

// readTyped returns the values of the form.
func readTyped(r *pagekit.Request) typed {
	return typed{text: r.FormText("text"), answer: r.FormText("answer"), outcome: r.Form.Get("outcome"), to: r.Form.Get("to"), until: r.FormText("until")}
}

// faultText describes the fault of a refused text.
func (t typed) faultText(refusal *fault.Error) string {
	return cmp.Or(pagekit.TooLong(t.text, request.MaxText), refusal.Detail)
}

// note is the text as a note; "" without text.
func (t typed) note() string {
	if t.hasText() {
		return t.text
	}
	return ""
}

// hasText reports whether there is text that no action has used.
func (t typed) hasText() bool { return strings.TrimSpace(t.text) != "" }
