package body

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// The refusals of every form, in addition to the faults of its endpoint. A fault
// without a code of its own makes the whole body invalid.
var (
	ErrInvalid          = fault.New(fault.Invalid, "invalid-request-body", "The body must be a JSON object.")
	ErrMissingPatientID = MissingID("patient")
	ErrInvalidPatientID = InvalidID("patient")

	errCase       = ErrInvalid.Worded("%s%s must be written in exactly this case.")
	errNoString   = ErrInvalid.Worded("%s must be a string.")
	errQuery      = ErrInvalidPatientID.Worded("The query string is malformed.")
	errQueryTwice = ErrInvalidPatientID.Worded("%s must be given once.")
)

// MissingID returns the refusal of a member without an identifier. For the kind
// "room", the member is roomId and the code is missing-room-id.
func MissingID(kind string) *fault.Error {
	return fault.New(fault.Invalid, "missing-"+kind+"-id", fmt.Sprintf("%sId must be given.", kind))
}

// InvalidID returns the refusal of a member whose value is not an identifier. For
// the kind "room", the member is roomId and the code is invalid-room-id.
func InvalidID(kind string) *fault.Error {
	return fault.New(fault.Invalid, "invalid-"+kind+"-id", fmt.Sprintf("%sId must be a UUID of 36 characters.", kind))
}

// Form is the body of a call, read member by member. It collects every fault of a
// member, in the order of reading, and the first reason why the whole body is invalid.
// [Form.Err] returns them (D2).
type Form struct {
	Digest  event.Digest // SHA-256 of the body as it arrived; zero unless the call has an Idempotency-Key
	Unknown Unknown

	members map[string]any
	unread  error // why there are no members
	invalid error // why the whole body is invalid
	faults  fault.List
}

// Read reads the body of a call as a form of the named members and holds its JSON
// in memory. The form keeps a refusal of the body, so
// that the caller's scope can be judged before it. An error means that the service
// could not read the body.
func Read(r *http.Request, texts Texts, members ...string) (*Form, error) {
	raw, err := rawOf(r)
	if err != nil {
		return unread(err)
	}
	tree, err := readJSON(raw, texts, members...)
	if err != nil {
		return unread(err)
	}
	if _, ok := tree.(map[string]any); !ok {
		return unread(ErrInvalid)
	}
	form := formOf(tree, flat(members...))
	form.Digest = raw.sum()
	return form, nil
}

// unread returns the form of a body that was refused before its members were known. It
// returns any other error unchanged, including refusals for other reasons: no permit,
// daily bytes used up, a body that is too slow.
func unread(err error) (*Form, error) {
	refusal, refused := errors.AsType[*fault.Error](err)
	if !refused || !slices.Contains(ofTheBody, refusal.Kind) {
		return nil, err
	}
	return &Form{unread: err}, nil
}

var ofTheBody = []fault.Kind{fault.Invalid, fault.Unsupported, fault.TooLarge}

func formOf(tree any, known shape) *Form {
	object, ok := tree.(map[string]any)
	if !ok {
		return &Form{invalid: ErrInvalid}
	}
	f := &Form{members: object}
	f.checkNames(object, "", known)
	return f
}

// Unread returns why the body could not be read: its media type, its size or its JSON.
// It is checked after the caller's scope and before anything else. Only
// [Form.PatientRequest] refuses a patient request that is not an object, because an
// Idempotency-Key is checked before that.
func (f *Form) Unread() error { return f.unread }

// Err returns all faults of the body, as far as it was read; nil without faults.
func (f *Form) Err() error {
	switch {
	case f.unread != nil:
		return f.unread
	case f.invalid != nil:
		return f.invalid
	}
	return f.faults.Err()
}

// Add adds the faults of a rule.
func (f *Form) Add(faults ...*fault.Error) { f.faults = append(f.faults, faults...) }

// invalidate keeps the first reason why the whole body is invalid.
func (f *Form) invalidate(refusal *fault.Error, args ...any) {
	if f.invalid == nil {
		f.invalid = refusal.Filled(args...)
	}
}

// Query reads the query of a call as a form of the given members. A malformed query, or
// one with a member twice, is unread, like a body that cannot be read. Without members
// it reads only the names, and refuses nothing.
func Query(r *http.Request, invalid *fault.Error, members ...string) *Form {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil && len(members) > 0 {
		return &Form{unread: invalid.Worded(errQuery.Detail)}
	}
	f := &Form{members: map[string]any{}}
	for _, member := range members {
		values := parameters[member]
		if len(values) > 1 {
			return &Form{unread: invalid.Worded(errQueryTwice.Detail).Filled(member)}
		}
		if len(values) == 1 {
			f.members[member] = values[0]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !slices.Contains(members, name) {
			f.Unknown.add("", name, flat(members...))
		}
	}
	return f
}

// PatientAsWritten returns the patientId as written, even if it is invalid; "" if there
// is no such text or no body.
func (f *Form) PatientAsWritten() string {
	text, _ := f.members["patientId"].(string)
	return text
}

// Patient returns the patientId. If it is missing or invalid, it returns zero and adds
// the fault to the form, so call it once. The server has called it for an endpoint that
// names a patient.
func (f *Form) Patient() patient.ID {
	return patient.ID{UUID: f.ID("patientId", ErrMissingPatientID, ErrInvalidPatientID)}
}

// ID returns the identifier in a member that must be given.
func (f *Form) ID(name string, missing, invalid *fault.Error) uuid.UUID {
	if f.absent(name) {
		f.Add(missing)
		return uuid.Nil
	}
	id, ok := f.id(name)
	if !ok {
		f.Add(invalid)
	}
	return id
}

// OptionalID returns the identifier in a member; zero if the member is absent. The
// zero identifier itself is invalid.
func (f *Form) OptionalID(name string, invalid *fault.Error) uuid.UUID {
	if f.absent(name) {
		return uuid.Nil
	}
	id, ok := f.id(name)
	if !ok || id == uuid.Nil {
		f.Add(invalid)
	}
	return id
}

// Has reports whether a member was given, even as null.
func (f *Form) Has(name string) bool {
	_, given := f.members[name]
	return given
}

// absent reports whether a member is missing, null or "".
func (f *Form) absent(name string) bool { return f.members[name] == nil || f.members[name] == "" }

func (f *Form) id(name string) (uuid.UUID, bool) {
	text, _ := f.members[name].(string)
	return parse.ID(text)
}

// Text returns the text in a member; "" if it is missing or null.
func (f *Form) Text(name string) string {
	text, ok := f.members[name].(string)
	if !ok && f.members[name] != nil {
		f.invalidate(errNoString, name)
	}
	return text
}

// Instant returns the RFC 3339 instant in a member that must be given.
func (f *Form) Instant(name string, missing, invalid *fault.Error) time.Time {
	if f.absent(name) {
		f.Add(missing)
		return time.Time{}
	}
	text, _ := f.members[name].(string)
	at, ok := parse.Instant(text)
	if !ok {
		f.Add(invalid)
	}
	return at
}

// The refusals of malformed parameters.
var (
	ErrInvalidQuery = fault.New(fault.Invalid, "invalid-query", "The query string is malformed.")

	errNumber     = ErrInvalidQuery.Worded("%s must be a whole number from %d to %d.")
	errChoice     = ErrInvalidQuery.Worded("%s must be one of: %s.")
	errMoment     = ErrInvalidQuery.Worded("%s must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.")
	errUUID       = ErrInvalidQuery.Worded("%s must be a UUID of 36 characters.")
	errGivenTwice = ErrInvalidQuery.Worded(errQueryTwice.Detail)
)

// Number returns the whole number in a parameter, which must be from least to most;
// otherwise if it is absent.
func (f *Form) Number(name string, least, most, otherwise int) int {
	if f.absent(name) {
		return otherwise
	}
	n, err := strconv.Atoi(f.Text(name))
	if err != nil || n < least || n > most {
		f.Add(errNumber.Filled(name, least, most))
		return otherwise
	}
	return n
}

// Choice returns the word in a parameter, which must be one of words; "" if it is
// absent.
func (f *Form) Choice(name string, words ...string) string {
	word := f.Text(name)
	if word != "" && !slices.Contains(words, word) {
		f.Add(errChoice.Filled(name, strings.Join(words, ", ")))
	}
	return word
}

// Moment returns the RFC 3339 instant in a parameter; zero if it is absent.
func (f *Form) Moment(name string) time.Time {
	if f.absent(name) {
		return time.Time{}
	}
	at, ok := parse.Instant(f.Text(name))
	if !ok {
		f.Add(errMoment.Filled(name))
	}
	return at
}

// InvalidParameter returns the refusal of a parameter that is not an identifier.
func InvalidParameter(name string) *fault.Error {
	return errUUID.Filled(name)
}
