package access

import (
	"slices"

	"frontdesk/domain/application"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/fault"
)

// The names of the endpoints, as grants and addresses spell them.
const (
	CreatePatientRequest    application.EndpointName = "create-patient-request"
	RequestOutcome          application.EndpointName = "request-outcome"
	RequestTypeAvailability application.EndpointName = "request-type-availability"
	CreateNote              application.EndpointName = "create-note"
	RetrieveCareRecord      application.EndpointName = "retrieve-care-record"
	OpenCareRecord          application.EndpointName = "open-care-record"
	BookAppointment         application.EndpointName = "book-appointment"
	CallInPatient           application.EndpointName = "call-in-patient"
	ClearCallIn             application.EndpointName = "clear-call-in"
	MarkDidNotAttend        application.EndpointName = "mark-did-not-attend"
	StartConsultation       application.EndpointName = "start-consultation"
	SetContactDetails       application.EndpointName = "set-contact-details"
	CalledIn                application.EndpointName = "called-in"
	Sites                   application.EndpointName = "sites"
	Ping                    application.EndpointName = "ping"
	Application             application.EndpointName = "application"
	KeySet                  application.EndpointName = "application/key-set"
	TestWebhook             application.EndpointName = "application/webhooks/test"
	OwnCalls                application.EndpointName = "application/calls"
	OwnDeliveries           application.EndpointName = "application/deliveries"
	Checkpoint              application.EndpointName = "application/checkpoint"
)

// Endpoint is a row of the catalogue: one operation of the Transactional API.
type Endpoint struct {
	Name application.EndpointName
	// WithoutGrant is true if every application that the practice has enabled may call,
	// without a grant.
	WithoutGrant bool
	// AboutItself is true if an application calls about itself. It need not be enabled
	// at the practice, needs no grant, and acts for no user (D94).
	AboutItself bool
	// WhereEnabled is true if an application that calls about itself must be enabled at
	// the practice after all, because the call has an effect there, or its answer is
	// about the practice.
	WhereEnabled bool
	// NamesPatient is true if a call is about the patient that its input names.
	// A patient-scoped authorisation covers such calls only (D12). A call that
	// names an appointment but no patient is refused to a caller who has no
	// standing authorisation, even if the appointment is the right patient's. If
	// a call names both, the command checks that the appointment is that
	// patient's.
	NamesPatient bool
	// ShowsRecord is true if a call reads or extends its patient's record, which may be
	// restricted to named staff.
	ShowsRecord bool
	// AsksReception is true if the practice accepts such calls only while it accepts
	// requests of their type. Those times are read together with the caller's rights.
	AsksReception bool
	// Operation is the kind of access that a call requests, also when it is refused.
	Operation catalogue.Operation
	// Request is the request of a call that names a patient, in the words of an access
	// record: "write a note".
	Request string
	// Words complete "It may …" when a page describes the rights of an application to
	// staff.
	Words string
}

// Endpoints returns the catalogue, in the order in which pages show it.
func Endpoints() []Endpoint {
	return []Endpoint{
		{Name: CreatePatientRequest, NamesPatient: true, AsksReception: true, Operation: catalogue.Create,
			Request: "send a patient request", Words: "send patient requests to the practice"},
		{Name: RequestOutcome, Operation: catalogue.Read, Words: "see how the patient requests that it sent ended, with the practice’s answers"},
		{Name: RequestTypeAvailability, Operation: catalogue.Read, Words: "check which types of request are open"},
		{Name: CreateNote, NamesPatient: true, ShowsRecord: true, Operation: catalogue.Create,
			Request: "write a note", Words: "add notes to patients’ care records"},
		{Name: RetrieveCareRecord, NamesPatient: true, ShowsRecord: true, Operation: catalogue.Read,
			Request: "read the record", Words: "look at patients’ care records"},
		{Name: OpenCareRecord, NamesPatient: true, ShowsRecord: true, Operation: catalogue.Read,
			Request: "open the record", Words: "open patients’ care records"},
		{Name: BookAppointment, NamesPatient: true, Operation: catalogue.Create, Request: "book an appointment", Words: "book appointments"},
		{Name: CallInPatient, Operation: catalogue.Update, Words: "call patients in for their appointments"},
		{Name: ClearCallIn, Operation: catalogue.Update, Words: "cancel a patient’s call-in"},
		{Name: MarkDidNotAttend, Operation: catalogue.Update, Words: "record that a patient did not attend"},
		{Name: StartConsultation, NamesPatient: true, Operation: catalogue.Create, Request: "start a consultation", Words: "start consultations"},
		{Name: SetContactDetails, NamesPatient: true, ShowsRecord: true, Operation: catalogue.Update,
			Request: "set the contact details", Words: "set patients’ telephone, email and NHS number"},
		{Name: CalledIn, Operation: catalogue.Read, Words: "see which patients are called in, and where"},
		{Name: Sites, Operation: catalogue.Read, Words: "see the practice’s sites and rooms"},
		{Name: Ping, WithoutGrant: true, Operation: catalogue.Execute},
		{Name: Application, AboutItself: true, Operation: catalogue.Read},
		{Name: KeySet, AboutItself: true, Operation: catalogue.Execute},
		{Name: TestWebhook, AboutItself: true, WhereEnabled: true, Operation: catalogue.Execute},
		{Name: OwnCalls, AboutItself: true, Operation: catalogue.Read},
		{Name: OwnDeliveries, AboutItself: true, Operation: catalogue.Read},
		{Name: Checkpoint, AboutItself: true, WhereEnabled: true, Operation: catalogue.Read},
	}
}

// Find returns the endpoint of a name; false if it does not exist.
func Find(name application.EndpointName) (Endpoint, bool) {
	all := Endpoints()
	i := slices.IndexFunc(all, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	return all[i], true
}

// Grantable returns the names of the endpoints that are granted to applications
// one by one.
func Grantable() []application.EndpointName {
	var names []application.EndpointName
	for _, e := range Endpoints() {
		if !e.WithoutGrant && !e.AboutItself {
			names = append(names, e.Name)
		}
	}
	return names
}

// The refusals of a grant.
var (
	ErrUnknownMode     = fault.New(fault.Invalid, "unknown-mode", "The mode must be application-restricted or user-restricted.")
	ErrUnknownEndpoint = fault.New(fault.Invalid, "unknown-endpoint", "There is no such endpoint to grant.")
)

// CheckGrant refuses a grant whose mode does not exist or whose endpoint cannot
// be granted.
func CheckGrant(g application.Grant) error {
	if g.Mode != application.ApplicationRestricted && g.Mode != application.UserRestricted {
		return ErrUnknownMode
	}
	if !slices.Contains(Grantable(), g.Endpoint) {
		return ErrUnknownEndpoint
	}
	return nil
}
