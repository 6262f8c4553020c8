package access

import (
	"slices"

	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// The names of the endpoints, as grants and addresses have them.
const (
	CreatePatientRequest    application.Endpoint = "create-patient-request"
	RequestTypeAvailability application.Endpoint = "request-type-availability"
	CreateNote              application.Endpoint = "create-note"
	RetrieveCareRecord      application.Endpoint = "retrieve-care-record"
	OpenCareRecord          application.Endpoint = "open-care-record"
	BookAppointment         application.Endpoint = "book-appointment"
	CallInPatient           application.Endpoint = "call-in-patient"
	ClearCallIn             application.Endpoint = "clear-call-in"
	MarkDidNotAttend        application.Endpoint = "mark-did-not-attend"
	StartConsultation       application.Endpoint = "start-consultation"
	Ping                    application.Endpoint = "ping"
)

// Endpoint is a row of the catalogue: one operation of the Transactional API.
type Endpoint struct {
	Name application.Endpoint
	// WithoutGrant is true where every application that the practice has
	// enabled may call, and there is nothing to grant.
	WithoutGrant bool
	// NamesPatient is true where a call is about the patient that its input
	// names, so that a patient-scoped authorisation can cover it (D12). A call
	// that names an appointment alone names no patient.
	NamesPatient bool
	// ShowsRecord is true where a call sees or adds to its patient's record,
	// which may be restricted to named staff (D17).
	ShowsRecord bool
	// Words tell staff what an application may do, after "It may".
	Words string
}

// Endpoints is the catalogue, in the order in which people are shown it.
func Endpoints() []Endpoint {
	return []Endpoint{
		{Name: CreatePatientRequest, NamesPatient: true, Words: "send patient requests to the practice"},
		{Name: RequestTypeAvailability, Words: "see which kinds of patient request the practice takes at the moment"},
		{Name: CreateNote, NamesPatient: true, ShowsRecord: true, Words: "add notes to patients’ care records"},
		{Name: RetrieveCareRecord, NamesPatient: true, ShowsRecord: true, Words: "look at patients’ care records"},
		{Name: OpenCareRecord, NamesPatient: true, ShowsRecord: true, Words: "open patients’ care records"},
		{Name: BookAppointment, NamesPatient: true, Words: "book appointments"},
		{Name: CallInPatient, Words: "call patients in for their appointments"},
		{Name: ClearCallIn, Words: "take back that a patient was called in"},
		{Name: MarkDidNotAttend, Words: "record that a patient did not attend"},
		{Name: StartConsultation, NamesPatient: true, Words: "start consultations"},
		{Name: Ping, WithoutGrant: true},
	}
}

// Find is the endpoint of a name; false if there is none.
func Find(name application.Endpoint) (Endpoint, bool) {
	all := Endpoints()
	i := slices.IndexFunc(all, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	return all[i], true
}

// Grantable is the names of the endpoints that are granted to applications one
// by one (§5.6).
func Grantable() []application.Endpoint {
	var names []application.Endpoint
	for _, e := range Endpoints() {
		if !e.WithoutGrant {
			names = append(names, e.Name)
		}
	}
	return names
}

// What is no mode and no endpoint.
var (
	ErrUnknownMode     = fault.New(fault.Invalid, "unknown-mode", "The mode must be application-restricted or user-restricted.")
	ErrUnknownEndpoint = fault.New(fault.Invalid, "unknown-endpoint", "There is no such endpoint to grant.")
)

// CheckGrant refuses unless there are such a mode and such an endpoint to
// grant.
func CheckGrant(g application.Grant) error {
	if g.Mode != application.ApplicationRestricted && g.Mode != application.UserRestricted {
		return ErrUnknownMode
	}
	if !slices.Contains(Grantable(), g.Endpoint) {
		return ErrUnknownEndpoint
	}
	return nil
}
