package requests

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/written"
	"frontdesk/projections"
)

// errNoRequest is the answer about a request that the practice does not have, of a patient
// who was erased, and to what names no request.
var errNoRequest = frame.NoSuch("request", "Go back to Requests and look for it there.")

// said is what a page says about the form that was sent, and what was typed there.
type said struct {
	status int
	frame.Faulty
	done  string // what has been done; "" for nothing
	typed typed
}

// typed is what somebody has written or chosen, so that it is not lost.
type typed struct{ text, outcome, to string }

// request shows one request.
func (s *Section) request(v *frame.Visit) error {
	return s.show(v, said{status: http.StatusOK, done: doneWords[v.Form.Get("done")]})
}

// show shows the request as it is now. That it is opened is in the log before (rule 1).
func (s *Section) show(v *frame.Visit, said said) error {
	found, err := s.open(v)
	if err != nil {
		return err
	}
	content, err := s.contentOf(v, found, said)
	if err != nil {
		return err
	}
	s.Show(v, frame.View{Template: templates["request"], Status: said.status, Title: content.Titled("Request"), Content: content})
	return nil
}

// open records that the request is opened, and returns it as that patient's of whom the
// log says so. If somebody moves it meanwhile, it is opened again.
func (s *Section) open(v *frame.Visit) (projections.Request, error) {
	for {
		found, err := s.find(v)
		if err != nil {
			return found, err
		}
		about, err := s.Desk.OpenPatientRequest(v.AsStaff(), commands.OpenPatientRequest{Tenant: v.Tenant, Request: found.ID})
		if err != nil || about == found.Patient {
			return found, orNone(err)
		}
	}
}

// find reads the request that the address names, with the name of the application that
// sent it.
func (s *Section) find(v *frame.Visit) (projections.Request, error) {
	id, ok := written.ID(v.Var("request"))
	if !ok {
		return projections.Request{}, errNoRequest
	}
	found, err := s.Requests.Of(v.Context(), v.Tenant, request.ID{UUID: id})
	if err != nil {
		return found, orNone(err)
	}
	if sent := &found.History[0]; sent.By == "" && sent.Actor.Application != uuid.Nil {
		sent.By, err = s.Directory.Application(v.Context(), sent.Actor.Application)
	}
	return found, err
}

// orNone is [errNoRequest] if the request, or its patient, is not the practice's.
func orNone(err error) error {
	if errors.Is(err, request.ErrUnknown) || errors.Is(err, patient.ErrUnknown) {
		return errNoRequest
	}
	return err
}

// sees reports whether whoever is signed in may see what the patient asks (rule 3).
func (s *Section) sees(v *frame.Visit, of patient.ID) (bool, error) {
	sight, err := s.Records.Sight(v.Context(), v.Tenant, of, v.Session.Staff)
	return sight.Open(s.Now()), err
}

// purpose is what the tokens of a request's forms are for.
func purpose(v *frame.Visit) string { return "request " + v.Var("request") }

// refusalOf is what a rule says against something; nil if the error is none of a rule.
func refusalOf(err error) *fault.Error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return nil
	}
	return refusal
}

// seenOf says how much of a request a page shows. A form sends it back.
func seenOf(r projections.Request) string { return strconv.Itoa(r.Version) }

// unseen is what has happened to the request that the form's page has not shown. A form
// that does not say what its page has shown has seen nothing.
func unseen(v *frame.Visit, r projections.Request) []projections.Handled {
	seen, err := strconv.Atoi(v.Form.Get("seen"))
	if err != nil || seen < 0 || seen > r.Version {
		seen = 0
	}
	return r.History[len(r.History)-min(r.Version-seen, len(r.History)):]
}
