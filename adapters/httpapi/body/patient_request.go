package body

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// Members in the order of §2.1 to §2.4.
var (
	requestMembers    = []string{"patientId", "requestType", "requester", "response", "isHighPriority", "proxyDetails", "attachments"}
	answerMembers     = []string{"question", "answer"}
	proxyMembers      = []string{"firstName", "lastName", "relationshipToPatient"}
	attachmentMembers = []string{"fileName", "contentType", "data"}
)

// PatientRequest is the patient request of §2.1 in a form that [Files] has read,
// about the patient of the form. The error is every structural fault, in the order of §7.1 (D2, D20, D21), or
// the one refusal of the body as a whole.
//
// The form decides the shape, which is looked at first, and the domain what the
// members mean.
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

// proxyDetails are the details as they are given; nil when they are no object.
func (f *Form) proxyDetails() *request.Proxy {
	object, ok := f.members["proxyDetails"].(map[string]any)
	if !ok {
		return nil
	}
	f.checkNames(object, "proxyDetails.", proxyMembers)
	text := func(name string) string {
		text, _ := object[name].(string)
		return text
	}
	return &request.Proxy{
		FirstName: text("firstName"), LastName: text("lastName"), RelationshipToPatient: text("relationshipToPatient"),
	}
}

// proxyFor is the proxy that the requester is, if any.
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
		object := f.object(value, place, answerMembers)
		if question, ok := object["question"].(string); ok {
			items[i].Question = &question
		}
		answer, ok := object["answer"].(string)
		if !ok {
			f.invalidate("%s.answer must be a string.", place)
		}
		items[i].Answer = answer
	}
	return items
}

func (f *Form) attachments() []request.File {
	values, ok := f.members["attachments"].([]any)
	if !ok && f.members["attachments"] != nil {
		f.invalidate("attachments must be an array or null.")
	}
	files := make([]request.File, len(values))
	for i, value := range values {
		place := fmt.Sprintf("attachments[%d]", i)
		object := f.object(value, place, attachmentMembers)
		name, _ := object["fileName"].(string)
		if strings.TrimSpace(name) == "" {
			f.invalidate("%s.fileName must be a string that is not blank.", place)
		}
		contentType, _ := object["contentType"].(string)
		content, _ := object["data"].(request.Content)
		files[i] = request.File{Name: name, ContentType: contentType, Content: content}
	}
	return files
}

// object is the object at a place of the form, where there must be one.
func (f *Form) object(value any, place string, known []string) map[string]any {
	object, ok := value.(map[string]any)
	if !ok {
		f.invalidate("%s must be an object.", place)
	}
	f.checkNames(object, place+".", known)
	return object
}

// flag is the yes or no in a member; no when it is missing or null.
func (f *Form) flag(name string) bool {
	yes, ok := f.members[name].(bool)
	if !ok && f.members[name] != nil {
		f.invalidate("%s must be true, false or null.", name)
	}
	return yes
}

// choice is the one of the values that a member holds; "" when it holds none.
func choice[T ~string](f *Form, name string, values []T, invalid *fault.Error) T {
	text, _ := f.members[name].(string)
	if !slices.Contains(values, T(text)) {
		f.Add(invalid)
		return ""
	}
	return T(text)
}
