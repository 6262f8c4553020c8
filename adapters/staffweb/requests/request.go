package requests

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// errNoRequest is the answer about a request that the practice does not have, that is
// of an erased patient, or whose identifier is invalid.
var errNoRequest = pagekit.NoSuch("request", "Go back to Requests and look for it there.")

// response is the response to a submitted form, with its typed values.
type response struct {
	status int
	pagekit.FormErrors
	done  string // the last action; "" for none
	typed typed
}

// typed is the typed or chosen values, so that they are not lost.
type typed struct{ text, answer, outcome, to, until string }

// request shows one request.
func (s *Section) request(r *pagekit.Request) error {
	if r.Form.Has("viewers") {
		return s.showViewers(r)
	}
	return s.show(r, response{status: http.StatusOK, done: doneWords[r.Form.Get("done")], typed: typed{outcome: r.Form.Get("outcome")}})
}

// show shows the current request. The event of opening it is in the log before (rule
// 1).
func (s *Section) show(r *pagekit.Request, response response) error {
	if err := s.NoteHead(r); err != nil {
		return err
	}
	found, err := s.open(r)
	if err != nil {
		return err
	}
	content, err := s.contentOf(r, found, response)
	if err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["request"], Status: response.status, Title: content.PageTitle("Request: " + strings.ToLower(typeNames[found.Type]) + ", " + content.At), Content: content, Script: pagekit.LiveParts})
	return nil
}

// open appends the event of opening the request, and returns the request with the same
// patient as the event. If it is moved in between, it is opened again.
func (s *Section) open(r *pagekit.Request) (history.Request, error) {
	for {
		found, err := s.find(r)
		if err != nil {
			return found, err
		}
		about, err := s.Desk.OpenPatientRequest(r.StaffContext(), commands.OpenPatientRequest{Tenant: r.Tenant, Request: found.ID})
		if err != nil || about == found.Patient {
			return found, orNoRequest(err)
		}
	}
}

// find reads the request in the address, with the name of its application.
func (s *Section) find(r *pagekit.Request) (history.Request, error) {
	id, ok := parse.ID(r.PathValue("request"))
	if !ok {
		return history.Request{}, errNoRequest
	}
	found, err := s.Requests.Find(r.Context(), r.Tenant, request.ID{UUID: id})
	if err != nil {
		return found, orNoRequest(err)
	}
	if sent := &found.History[0]; sent.By == "" && sent.Actor.Application != uuid.Nil {
		sent.By, err = s.Directory.Application(r.Context(), sent.Actor.Application)
	}
	return found, err
}

// orNoRequest is [errNoRequest] if the request, or its patient, is not the practice's.
func orNoRequest(err error) error {
	if errors.Is(err, request.ErrUnknown) || errors.Is(err, patient.ErrUnknown) {
		return errNoRequest
	}
	return err
}

// hasAccess reports whether the signed-in member has access to the patient's text (rule 3).
func (s *Section) hasAccess(r *pagekit.Request, of patient.ID) (bool, error) {
	sight, err := s.Records.Sight(r.Context(), r.Tenant, of, r.Session.Staff)
	return sight.Open(s.Now()), err
}

// purpose is the form tokens' purpose.
func purpose(r *pagekit.Request) string { return purposeOf(r.PathValue("request")) }

func purposeOf(request string) string { return "request " + request }

// refusalOf returns a rule's refusal; nil for any other error.
func refusalOf(err error) *fault.Error {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return nil
	}
	return refusal
}

// seenOf is the version of a request on a page. A form sends it back.
func seenOf(r history.Request) string { return strconv.Itoa(r.Version) }

// unseen is the events of the request since the form's page. A form without a version
// has seen none.
func unseen(r *pagekit.Request, found history.Request) []history.Entry {
	if r.Form.Has("new") && found.Holder == (staff.ID{}) && found.Done == nil {
		return nil // a row of the list shows only that no one has the request
	}
	seen, err := strconv.Atoi(r.Form.Get("seen"))
	if err != nil || seen < 0 || seen > found.Version {
		seen = 0
	}
	return found.History[len(found.History)-min(found.Version-seen, len(found.History)):]
}
