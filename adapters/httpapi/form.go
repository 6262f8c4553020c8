package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// fields is the body of a call, read member by member. It keeps every structural
// fault, in the order of reading (D2); what no code is documented for makes
// the body invalid as a whole (D19).
type fields struct {
	body    map[string]any
	faults  fault.List
	invalid error
}

// form reads a body of the given members, of which patientId is the first
// where there is one.
func form(members ...string) reader[*fields] {
	return func(w http.ResponseWriter, r *http.Request, caller access.Caller) (f *fields, named string, err error) {
		tree, err := body(w, r)
		if err != nil {
			return nil, "", err
		}
		object, ok := tree.(map[string]any)
		if !ok {
			return nil, "", request.ErrInvalidBody.With("The body must be a JSON object.")
		}
		f = &fields{body: object}
		f.checkNames(members)
		if caller.Endpoint.NamesPatient {
			f.id("patientId", request.ErrMissingPatientID, request.ErrInvalidPatientID)
			named, _ = object["patientId"].(string)
		}
		return f, named, nil
	}
}

// checkNames refuses a member that is written in another case (D19).
func (f *fields) checkNames(members []string) {
	for _, name := range slices.Sorted(maps.Keys(f.body)) {
		for _, member := range members {
			if name != member && strings.EqualFold(name, member) {
				f.refuse("%s is written in another case.", member)
			}
		}
	}
}

// err is every fault found so far.
func (f *fields) err() error {
	if f.invalid != nil {
		return f.invalid
	}
	return f.faults.Err()
}

func (f *fields) refuse(format string, args ...any) {
	if f.invalid == nil {
		f.invalid = request.ErrInvalidBody.With(format, args...)
	}
}

// absent reports whether a member is missing, null or "" (D20).
func (f *fields) absent(name string) bool { return f.body[name] == nil || f.body[name] == "" }

// id is the identifier in a member, as D20 reads them.
func (f *fields) id(name string, missing, invalid *fault.Error) uuid.UUID {
	if f.absent(name) {
		f.faults = append(f.faults, missing)
		return uuid.Nil
	}
	id, ok := parseID(f.body[name])
	if !ok {
		f.faults = append(f.faults, invalid)
	}
	return id
}

// optionalID is zero when the member is absent, and only then.
func (f *fields) optionalID(name string, invalid *fault.Error) uuid.UUID {
	if f.absent(name) {
		return uuid.Nil
	}
	id, ok := parseID(f.body[name])
	if !ok || id == uuid.Nil {
		f.faults = append(f.faults, invalid)
	}
	return id
}

// text is the text in a member; "" when it is missing or null.
func (f *fields) text(name string) string {
	text, ok := f.body[name].(string)
	if !ok && f.body[name] != nil {
		f.refuse("%s is a string.", name)
	}
	return text
}

// instant is the RFC 3339 instant in a member.
func (f *fields) instant(name string, missing, invalid *fault.Error) (at time.Time) {
	text, _ := f.body[name].(string)
	switch {
	case f.absent(name):
		f.faults = append(f.faults, missing)
	case at.UnmarshalText([]byte(text)) != nil: // stricter than time.Parse
		f.faults = append(f.faults, invalid)
	}
	return at
}

// parseID is a UUID of 36 characters, in any case (D20).
func parseID(value any) (uuid.UUID, bool) {
	id, ok := request.ParsePatientID(value)
	return id.UUID, ok
}

// missingID and invalidID are the refusals of a member that holds an
// identifier, in the form of §7.1: missing-room-id, invalid-room-id.
func missingID(kind string) *fault.Error {
	return fault.New(fault.Invalid, "missing-"+kind+"-id", fmt.Sprintf("%sId is missing.", kind))
}

func invalidID(kind string) *fault.Error {
	return fault.New(fault.Invalid, "invalid-"+kind+"-id", fmt.Sprintf("%sId is not a valid UUID.", kind))
}
