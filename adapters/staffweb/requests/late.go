package requests

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// errClosed refuses texts on a hidden request.
var errClosed = &pagekit.ErrorPage{
	Status: http.StatusForbidden, Heading: "This patient’s record is restricted",
	Text: "You do not have access. Nothing has been changed.", Advice: "If you need access for the patient’s care, open the patient’s page and give a reason.",
}

// showClosed shows a request whose text is hidden from the member meanwhile, with the typed
// text. Another error than [errClosed] stays one.
func (s *Section) showClosed(r *pagekit.Request, typed typed, err error) error {
	if !errors.Is(err, errClosed) {
		return err
	}
	wrong := pagekit.FormError("handle", "Nothing was saved. This patient’s record is restricted and you do not have access.")
	if typed.hasText() {
		wrong = pagekit.FormError("text", "This text was not saved. The patient’s record is restricted and you do not have access.")
	} else if typed.hasAnswer() {
		wrong = pagekit.FormError("answer", "This reply was not sent. The patient’s record is restricted and you do not have access.")
	}
	return s.show(r, response{status: http.StatusForbidden, typed: typed, FormErrors: wrong})
}

// maxChanges limits the unseen changes that a page lists; the history has all.
const maxChanges = 3

// showConflict shows the current request, with the actor of the changes and the typed
// values.
func (s *Section) showConflict(r *pagekit.Request, found history.Request, typed typed, faults pagekit.FormErrors) error {
	late := unseen(r, found)
	for _, h := range late[max(0, len(late)-maxChanges):] {
		what, _ := eventClause(r, h)
		faults = faults.With("handle", what+" at "+s.When(r, h.At)+".")
	}
	kept := "Your change was not saved. Check the latest version below."
	if typed.hasText() || typed.hasAnswer() {
		kept += " What you typed is still here."
	}
	return s.show(r, response{status: http.StatusConflict, typed: typed, FormErrors: faults.With("handle", kept)})
}

// showRefusal shows the request with the refusal and the typed values.
func (s *Section) showRefusal(r *pagekit.Request, typed typed, err error) error {
	refusal := refusalOf(err)
	if refusal == nil || errors.Is(orNoRequest(err), errNoRequest) {
		return orNoRequest(err)
	}
	if refusal.Kind != fault.Conflict {
		field, text := faultOf(refusal, typed)
		return s.show(r, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With(field, text)})
	}
	found, err := s.find(r)
	if err != nil {
		return err
	}
	faults := pagekit.FormErrors{}
	if len(unseen(r, found)) == 0 { // the page had no button for it
		faults = faults.With("handle", refusal.Detail)
	}
	return s.showConflict(r, found, typed, faults)
}

// faultOf returns the field of a fault, and its text.
func faultOf(refusal *fault.Error, typed typed) (field, text string) {
	switch {
	case errors.Is(refusal, request.ErrUnknownOutcome):
		return "outcome", "Choose an outcome."
	case errors.Is(refusal, request.ErrInvalidText) && pagekit.TooLong(typed.answer, request.MaxText) != "":
		return "answer", pagekit.TooLong(typed.answer, request.MaxText)
	case errors.Is(refusal, request.ErrInvalidText), errors.Is(refusal, request.ErrLongText):
		return "text", typed.faultText(refusal)
	case errors.Is(refusal, request.ErrAnswerWithoutReply):
		return "answer", "To send this reply, choose “" + outcomeNames[request.Replied] + "”. Otherwise, remove it."
	case errors.Is(refusal, request.ErrNoRecipient):
		return "answer", "No application can fetch this reply for the patient. Remove it."
	case errors.Is(refusal, request.ErrInvalidPutOff):
		return "until", refusal.Detail
	case errors.Is(refusal, errNoColleague), errors.Is(refusal, staff.ErrUnknown), errors.Is(refusal, staff.ErrUnknownTeam):
		return "to", errNoColleague.Detail
	}
	return "handle", refusal.Detail
}
