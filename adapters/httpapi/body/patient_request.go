package body

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// requestShape is the members of a patient request, in the order of the contract.
var requestShape = shape{
	{name: "patientId"}, {name: "requestType"}, {name: "requester"},
	{name: "response", list: true, of: flat("question", "answer")},
	{name: "isHighPriority"},
	{name: "proxyDetails", of: flat("firstName", "lastName", "relationshipToPatient")},
	{name: "attachments", list: true, of: flat("fileName", "contentType", "data")},
}

// The faults in the shape of a patient request.
var (
	errNoArray  = ErrInvalid.Worded("attachments must be an array or null.")
	errNoMember = ErrInvalid.Worded("%s must be an object.")
	errFileName = ErrInvalid.Worded("%s.fileName must be a string that is not blank.")
	errFlag     = ErrInvalid.Worded("%s must be true, false or null.")
)

// PatientRequest reads a patient request about a patient, from a form that [Files] has
// read. The error has every structural fault, in the order of the contract's table of
// codes, or the one refusal of the whole body.
//
// The form checks the shape of the members first, and then the domain checks their
// values.
func (f *Form) PatientRequest(about patient.ID) (request.Submission, error) {
	proxy := f.proxyDetails()
	urgent := f.flag("isHighPriority")
	items, files := f.response(), f.attachments()

	s := request.Submission{
		Patient:      about,
		Type:         choice(f, "requestType", request.Types(), request.ErrInvalidType),
		Requester:    choice(f, "requester", request.Requesters(), request.ErrInvalidRequester),
		HighPriority: urgent,
	}
	s.Proxy = f.proxyFor(s.Requester, proxy)
	attachments, faults := request.Attach(files)
	f.Add(faults...)
	answers, faults := s.Type.Answers(items)
	f.Add(faults...)
	s.Attachments, s.Response = attachments, answers
	return s, f.Err()
}

// proxyDetails returns the details as they are given; nil if they are not an
// object.
func (f *Form) proxyDetails() *request.Proxy {
	object, ok := f.members["proxyDetails"].(map[string]any)
	if !ok {
		return nil
	}
	text := func(name string) string {
		text, _ := object[name].(string)
		return text
	}
	return &request.Proxy{
		FirstName: text("firstName"), LastName: text("lastName"), RelationshipToPatient: text("relationshipToPatient"),
	}
}

// proxyFor returns the proxy who submits the request; nil if the patient does.
func (f *Form) proxyFor(requester request.Requester, given *request.Proxy) *request.Proxy {
	if given == nil && f.members["proxyDetails"] != nil {
		f.Add(request.ErrInvalidProxyDetails)
		return nil
	}
	proxy, faults := requester.Proxy(given)
	f.Add(faults...)
	return proxy
}

func (f *Form) response() []request.Item {
	values, _ := f.members["response"].([]any)
	items := make([]request.Item, len(values))
	for i, value := range values {
		place := fmt.Sprintf("response[%d]", i)
		object := f.object(value, place)
		if question, ok := object["question"].(string); ok {
			items[i].Question = &question
		}
		answer, ok := object["answer"].(string)
		if !ok {
			f.invalidate(errNoString, place+".answer")
		}
		items[i].Answer = answer
	}
	return items
}

func (f *Form) attachments() []request.File {
	values, ok := f.members["attachments"].([]any)
	if !ok && f.members["attachments"] != nil {
		f.invalidate(errNoArray)
	}
	files := make([]request.File, len(values))
	for i, value := range values {
		place := fmt.Sprintf("attachments[%d]", i)
		object := f.object(value, place)
		name, _ := object["fileName"].(string)
		if strings.TrimSpace(name) == "" {
			f.invalidate(errFileName, place)
		}
		contentType, _ := object["contentType"].(string)
		content, _ := object["data"].(request.Content)
		files[i] = request.File{Name: name, ContentType: contentType, Content: content}
	}
	return files
}

// object returns the object at a place of the form that must hold one.
func (f *Form) object(value any, place string) map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		f.invalidate(errNoMember, place)
	}
	return object
}

// flag returns the boolean in a member; false if it is missing or null.
func (f *Form) flag(name string) bool {
	yes, ok := f.members[name].(bool)
	if !ok && f.members[name] != nil {
		f.invalidate(errFlag, name)
	}
	return yes
}

// choice returns the value in a member if it is one of values; otherwise "".
func choice[T ~string](f *Form, name string, values []T, invalid *fault.Error) T {
	text, _ := f.members[name].(string)
	if !slices.Contains(values, T(text)) {
		f.Add(invalid)
		return ""
	}
	return T(text)
}
