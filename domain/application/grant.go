package application

import (
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/fault"
)

// ID identifies a registered application: the `iss` of its tokens.
type ID struct{ uuid.UUID }

// Mode is the way in which an application calls (§5.3).
type Mode string

// The two modes.
const (
	ApplicationRestricted Mode = "application-restricted" // for itself: sub = iss
	UserRestricted        Mode = "user-restricted"        // for a member of staff: sub is their username
)

// Endpoint is an operation of the Transactional API that is granted to
// applications one by one (§5.6).
type Endpoint string

// The endpoints.
const (
	CreatePatientRequest    Endpoint = "create-patient-request"
	RequestTypeAvailability Endpoint = "request-type-availability"

	CreateNote         Endpoint = "create-note"
	RetrieveCareRecord Endpoint = "retrieve-care-record"
	OpenCareRecord     Endpoint = "open-care-record"
	BookAppointment    Endpoint = "book-appointment"
	CallInPatient      Endpoint = "call-in-patient"
	ClearCallIn        Endpoint = "clear-call-in"
	MarkDidNotAttend   Endpoint = "mark-did-not-attend"
	StartConsultation  Endpoint = "start-consultation"
)

// Ping needs no grant (D16), so it cannot be granted.
const Ping Endpoint = "ping"

// Endpoints lists every endpoint that can be granted.
func Endpoints() []Endpoint {
	return []Endpoint{
		CreatePatientRequest, RequestTypeAvailability,
		CreateNote, RetrieveCareRecord, OpenCareRecord,
		BookAppointment, CallInPatient, ClearCallIn, MarkDidNotAttend, StartConsultation,
	}
}

// NamesPatient reports whether calls of the endpoint are about one patient,
// whom a patient-scoped authorisation can cover (D12). A call that names an
// appointment alone names no patient.
func (e Endpoint) NamesPatient() bool {
	return slices.Contains([]Endpoint{
		CreatePatientRequest, CreateNote, RetrieveCareRecord, OpenCareRecord, BookAppointment, StartConsultation,
	}, e)
}

// ShowsRecord reports whether calls of the endpoint see or add to a patient's
// record, which may be restricted to named staff (D17).
func (e Endpoint) ShowsRecord() bool {
	return e == RetrieveCareRecord || e == OpenCareRecord || e == CreateNote
}

// Grant allows one endpoint in one mode, written `<endpoint>:<mode>` (§5.6).
type Grant struct {
	Endpoint Endpoint `json:"endpoint"`
	Mode     Mode     `json:"mode"`
}

// String is the grant as §5.6 writes it.
func (g Grant) String() string { return string(g.Endpoint) + ":" + string(g.Mode) }

func (g Grant) check() error {
	if g.Mode != ApplicationRestricted && g.Mode != UserRestricted {
		return ErrUnknownMode
	}
	if !slices.Contains(Endpoints(), g.Endpoint) {
		return ErrUnknownEndpoint
	}
	return nil
}

// What is no mode and no endpoint.
var (
	ErrUnknownMode     = fault.New(fault.Invalid, "unknown-mode", "The mode is application-restricted or user-restricted.")
	ErrUnknownEndpoint = fault.New(fault.Invalid, "unknown-endpoint", "There is no such endpoint to grant.")
)
