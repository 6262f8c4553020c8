package request

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/domain/fault"
)

// Submission is a sound request: what [Parse] has found no fault with.
type Submission Submitted

// Parse reads the request body of §2.1 out of a JSON tree: objects are
// map[string]any, arrays []any, strings string, booleans bool, null nil, and
// what was an attachment's data [Content]. It returns every structural fault
// at once, in the order of §7.1 (D2, D20, D21), or [ErrInvalidBody] alone
// (D19).
//
// The tree is neutral on purpose: that a field may be missing, null or of
// another type is the contract's business, not an adapter's.
func Parse(body any) (Submission, error) {
	object, ok := body.(map[string]any)
	if !ok {
		return Submission{}, ErrInvalidBody.With("The body is a JSON object.")
	}
	if err := checkShape(object); err != nil {
		return Submission{}, err
	}
	var p parser
	s := Submission{
		Patient:      p.patient(object["patientId"]),
		Type:         p.requestType(object["requestType"]),
		Requester:    p.requester(object["requester"]),
		Proxy:        p.proxy(object["requester"], object["proxyDetails"]),
		HighPriority: object["isHighPriority"] == true,
	}
	s.Attachments = p.attachments(object["attachments"])
	s.Response = p.response(s.Type, object["response"])
	return s, p.faults.Err()
}

// Fields in the order of §2.1 to §2.4.
var (
	bodyFields       = []string{"patientId", "requestType", "requester", "response", "isHighPriority", "proxyDetails", "attachments"}
	answerFields     = []string{"question", "answer"}
	proxyFields      = []string{"firstName", "lastName", "relationshipToPatient"}
	attachmentFields = []string{"fileName", "contentType", "data"}
)

// checkShape finds what §7.1 has no code for (D19, D20).
func checkShape(body map[string]any) error {
	if err := checkNames(body, "", bodyFields); err != nil {
		return err
	}
	if proxy, ok := body["proxyDetails"].(map[string]any); ok {
		if err := checkNames(proxy, "proxyDetails.", proxyFields); err != nil {
			return err
		}
	}
	switch body["isHighPriority"].(type) {
	case nil, bool:
	default:
		return ErrInvalidBody.With("isHighPriority is true, false or null.")
	}
	if err := checkAnswers(body["response"]); err != nil {
		return err
	}
	return checkAttachments(body["attachments"])
}

func checkAnswers(response any) error {
	items, _ := response.([]any)
	for i, item := range items {
		answer, ok := item.(map[string]any)
		if !ok {
			return ErrInvalidBody.With("response[%d] is an object.", i)
		}
		if err := checkNames(answer, placeOf("response", i)+".", answerFields); err != nil {
			return err
		}
		if _, ok := answer["answer"].(string); !ok {
			return ErrInvalidBody.With("response[%d].answer is a string.", i)
		}
	}
	return nil
}

// checkNames refuses a known name in another case: a lenient reader behind us
// could take it for the known one (D19).
func checkNames(object map[string]any, place string, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if i >= 0 && known[i] != name {
			return ErrInvalidBody.With("%s%s is written in another case.", place, known[i])
		}
	}
	return nil
}

// What the body is refused for: the codes of §7.1, and D19's.
var (
	ErrInvalidBody         = fault.New(fault.Invalid, "invalid-request-body", "The body is not a JSON object of the documented form.")
	ErrMissingPatientID    = fault.New(fault.Invalid, "missing-patient-id", "patientId is missing.")
	ErrInvalidPatientID    = fault.New(fault.Invalid, "invalid-patient-id", "patientId is not a valid UUID.")
	ErrInvalidType         = fault.New(fault.Invalid, "invalid-request-type", "requestType is neither medical nor admin.")
	ErrInvalidRequester    = fault.New(fault.Invalid, "invalid-requester", "requester is neither patient nor proxy.")
	ErrMissingProxyDetails = fault.New(fault.Invalid, "missing-proxy-details", "requester is proxy, and proxyDetails is missing.")
	ErrInvalidProxyDetails = fault.New(fault.Invalid, "invalid-proxy-details",
		"proxyDetails needs firstName, lastName and relationshipToPatient.")
	ErrTooManyAttachments       = fault.New(fault.Invalid, "too-many-attachments", "attachments has more than 5 items.")
	ErrInvalidAttachmentContent = fault.New(fault.Invalid, "invalid-attachment-content", "An attachment's data is not valid base64.")
	ErrAttachmentTooLarge       = fault.New(fault.Invalid, "attachment-too-large", "An attachment exceeds 10 MB.")
	ErrUnsupportedFileType      = fault.New(fault.Invalid, "unsupported-file-type", "An attachment is neither JPEG, PNG, DOC nor DOCX.")
	ErrEmptyResponse            = fault.New(fault.Invalid, "empty-response", "response needs at least one item.")
	ErrInvalidQuestion          = fault.New(fault.Invalid, "invalid-question", "A question is not one of the keys for this requestType.")
)
