package privacy

import (
	"errors"
	"net/http"
	"strconv"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// informationPage is the practice's texts for subject access packs.
type informationPage struct {
	pagekit.FormErrors
	Saved   bool
	Edits   bool // the member may edit the texts
	Version int
	Areas   []pagekit.Area
	Token   string
}

// informationLabels are the topics in plain words, with their place in the article.
var informationLabels = map[practice.Topic]string{
	practice.Purposes:           "Purposes (Article 15 (1) (a))",
	practice.RetentionPeriod:    "How long you keep data (Article 15 (1) (d))",
	practice.RightsOfPatients:   "Rights of patients (Article 15 (1) (e))",
	practice.Complaints:         "Where patients may complain (Article 15 (1) (f))",
	practice.AutomatedDecisions: "Automated decisions (Article 15 (1) (h))",
	practice.Transfers:          "Other countries (Article 15 (2))",
}

const informationToken = "information"

// currentInformation reads the practice's texts. They hold no data of a person.
func (s *Section) currentInformation(r *pagekit.Request) (practice.Information, error) {
	return commands.Load[practice.Information](r.Context(), s.Desk.Store, practice.InformationStream(r.Tenant))
}

func (s *Section) information(r *pagekit.Request) error {
	now, err := s.currentInformation(r)
	if err != nil {
		return err
	}
	return s.showInformation(r, http.StatusOK, informationPage{Saved: r.Form.Get("done") != "", Version: now.Version}, now.Text)
}

// showInformation shows texts: the current ones, or the typed ones again.
func (s *Section) showInformation(r *pagekit.Request, status int, page informationPage, text func(practice.Topic) string) error {
	for _, topic := range practice.Topics() {
		page.Areas = append(page.Areas, pagekit.Area{
			ID: string(topic), Label: informationLabels[topic], Value: text(topic), Fault: page.Fault(string(topic)),
			Hint: "At most " + pagekit.Number(practice.MaxInformation) + " characters. It is kept for ever, so name no patient.",
		})
	}
	page.Edits, page.Token = r.Session.Roles.May(staff.EditInformation), r.Token(informationToken)
	s.Show(r, pagekit.View{Template: templates["information"], Status: status, Title: page.PageTitle("Texts for patients"), Content: page})
	return nil
}

// setInformation saves the texts, unless a colleague has changed them since the page was
// shown. A refused form is shown again as it was typed.
func (s *Section) setInformation(r *pagekit.Request) error {
	seen, err := strconv.Atoi(r.Form.Get("seen"))
	if err != nil || seen < 0 {
		return pagekit.ErrUnreadable
	}
	typed := func(topic practice.Topic) string { return r.FormText(string(topic)) }
	page := informationPage{Version: seen}
	if !r.HasToken(informationToken) {
		status, wrong := r.Unsent(string(practice.Purposes))
		page.FormErrors = wrong
		return s.showInformation(r, status, page, typed)
	}
	texts := map[practice.Topic]string{}
	for _, topic := range practice.Topics() {
		texts[topic] = typed(topic)
		if fault := informationFault(topic, texts[topic]); fault != "" {
			page.FormErrors = page.With(string(topic), fault)
		}
	}
	if len(page.Faults) > 0 {
		return s.showInformation(r, http.StatusBadRequest, page, typed)
	}
	err = s.Desk.SetSubjectAccessInformation(r.StaffContext(), commands.SetSubjectAccessInformation{Tenant: r.Tenant, Texts: texts, Seen: seen})
	if errors.Is(err, practice.ErrInformationChanged) {
		now, err := s.currentInformation(r)
		if err != nil {
			return err
		}
		page.Version = now.Version
		page.FormErrors = pagekit.FormError(string(practice.Purposes),
			"Nothing has been saved: a colleague has changed the texts since you opened the page. Yours are still here. If you save them now, they replace your colleague’s.")
		return s.showInformation(r, http.StatusConflict, page, typed)
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/privacy-texts?done=saved")
}

// informationFault returns the fault of a text; "" for none.
func informationFault(topic practice.Topic, text string) string {
	if long := pagekit.TooLong(text, practice.MaxInformation); long != "" {
		return long
	}
	if _, err := (practice.Information{}).Set(map[practice.Topic]string{topic: text}, 0); err != nil {
		return "Write a text about this topic"
	}
	return ""
}
