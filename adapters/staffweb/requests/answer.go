package requests

import (
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/request"
	"frontdesk/projections/history"
)

// answerPart is the practice's answer to the patient on the page of a request.
type answerPart struct {
	Field     *pagekit.Area // nil if no application can fetch an answer
	Text      string        // "" without an answer, or if it is hidden
	State     string        // of the answer; "" without one
	IsFetched bool
}

// answerOf is the answer of a done request with its state, or the field of one.
func (s *Section) answerOf(r *pagekit.Request, found history.Request, sees bool, response response) (part answerPart, err error) {
	name := ""
	if found.Recipient != (application.ID{}) {
		if name, err = s.Directory.Application(r.Context(), found.Recipient.UUID); err != nil {
			return part, err
		}
	}
	switch {
	case found.Answer != nil:
		if sent, is := found.Answer.Event.(request.Answered); is && sees {
			part.Text = sent.Text
		}
		part.State, part.IsFetched, err = s.answerState(r, found, name)
	case found.Done == nil && found.Recipient != (application.ID{}), response.typed.hasAnswer():
		hint := "The patient can read this in " + pagekit.Plain(name) + ". It is sent with the outcome “" + outcomeNames[request.Replied] + "”."
		if name == "" {
			hint = "No application can fetch a reply for the patient. Remove it, or copy it elsewhere."
		}
		part.Field = &pagekit.Area{ID: "answer", Label: "Reply to the patient", Hint: hint, Value: response.typed.answer, Fault: response.Fault("answer")}
	}
	return part, err
}

// answerState says whether the application that sent the request has fetched the answer: it
// has a line in the access record if it has.
func (s *Section) answerState(r *pagekit.Request, found history.Request, name string) (state string, fetched bool, err error) {
	if found.Recipient == (application.ID{}) {
		return "No application can fetch it, because the request was moved or entered in error.", false, nil
	}
	at, err := s.Answers.AnswerShown(r.Context(), r.Tenant, access.AnswerTopic(found.Recipient, found.ID.UUID, found.AnswerEvent))
	switch {
	case err != nil:
		return "", false, err
	case at.IsZero():
		return "Not fetched yet by " + pagekit.Plain(name) + ".", false, nil
	}
	return "Fetched by " + pagekit.Plain(name) + " at " + s.When(r, at) + ".", true, nil
}

// reply is the answer; "" without one.
func (t typed) reply() string {
	if t.hasAnswer() {
		return t.answer
	}
	return ""
}

// hasAnswer reports whether there is an answer that no action has sent.
func (t typed) hasAnswer() bool { return strings.TrimSpace(t.answer) != "" }
