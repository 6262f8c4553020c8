package requests

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// errClosed refuses to write about what one may not see.
var errClosed = &frame.Apology{
	Status: http.StatusForbidden, Heading: "This patient’s record is restricted",
	Text: "You are not among those who may see it. Nothing has been changed.", Advice: "If you need to see it, open the patient’s page, where you can say why.",
}

// mostTold are the changes that a page names of those that it had not shown; it shows all
// of them in the history.
const mostTold = 3

// tooLate shows the request as it is now, with who changed it meanwhile and with what was
// typed.
func (s *Section) tooLate(v *frame.Visit, found projections.Request, typed typed, faults frame.Faulty) error {
	late := unseen(v, found)
	for _, h := range late[max(0, len(late)-mostTold):] {
		what, _ := deed(v, h)
		faults = faults.With("handle", what+" at "+s.When(v, h.At)+".")
	}
	kept := "Look at the request again: nothing that you did has been saved."
	if typed.left() {
		kept += " What you typed is still here."
	}
	return s.show(v, said{status: http.StatusConflict, typed: typed, Faulty: faults.With("handle", kept)})
}

// refuse shows the request with why nothing was done, and with what was typed.
func (s *Section) refuse(v *frame.Visit, typed typed, err error) error {
	refusal := refusalOf(err)
	if refusal == nil || errors.Is(orNone(err), errNoRequest) {
		return orNone(err)
	}
	if refusal.Kind != fault.Conflict {
		field, text := faultOf(refusal, typed)
		return s.show(v, said{status: http.StatusBadRequest, typed: typed, Faulty: frame.Faulty{}.With(field, text)})
	}
	found, err := s.find(v)
	if err != nil {
		return err
	}
	faults := frame.Faulty{}
	if len(unseen(v, found)) == 0 { // the page had no button for it
		faults = faults.With("handle", refusal.Detail)
	}
	return s.tooLate(v, found, typed, faults)
}

// faultOf says at which field something is wrong, and what.
func faultOf(refusal *fault.Error, typed typed) (field, text string) {
	switch {
	case errors.Is(refusal, request.ErrUnknownOutcome):
		return "outcome", "Choose how it ended."
	case errors.Is(refusal, request.ErrInvalidText), errors.Is(refusal, request.ErrLongText):
		return "text", typed.wrong(refusal)
	case errors.Is(refusal, errNoColleague), errors.Is(refusal, staff.ErrUnknown):
		return "to", errNoColleague.Detail
	}
	return "handle", refusal.Detail
}
