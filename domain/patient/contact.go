package patient

import (
	"errors"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Contact is how a patient can be reached, and their NHS number. An empty member is unknown.
type Contact struct {
	Telephone string // as people write it: digits, spaces, and a + at the beginning
	Email     string
	NHSNumber string // 10 digits, the last of which checks the others (modulus 11)
}

// ContactDetailsSet records a patient's contact details: all of them, so that readers need no
// earlier events.
type ContactDetailsSet struct {
	Patient   ID     `json:"patient"`
	Telephone string `json:"telephone,omitempty" personal:"patient"`
	Email     string `json:"email,omitempty" personal:"patient"`
	NHSNumber string `json:"nhsNumber,omitempty" personal:"patient"`
}

// EventName returns the name that the event is stored under.
func (ContactDetailsSet) EventName() string { return "patient.contact-details-set.v1" }

// PatientID returns the patient of the event.
func (c ContactDetailsSet) PatientID() uuid.UUID { return c.Patient.UUID }

// Contact returns the details of the event.
func (c ContactDetailsSet) Contact() Contact { return Contact{c.Telephone, c.Email, c.NHSNumber} }

// The refusals of contact details. None repeats the given text.
var (
	ErrInvalidTelephone = fault.New(fault.Invalid, "invalid-telephone", "Write telephone with 5 to 15 digits, spaces between them, and an optional + at the beginning.")
	ErrInvalidEmail     = fault.New(fault.Invalid, "invalid-email", "Write email as one address, such as ann@example.org, in at most 254 characters.")
	ErrInvalidNHSNumber = fault.New(fault.Invalid, "invalid-nhs-number", "Check nhsNumber: it has 10 digits, and the last one does not match the others.")
)

// SetContactDetails replaces the patient's contact details (rule 4). It cannot compare them with
// the former ones, because no state holds them.
func (p Patient) SetContactDetails(id ID, c Contact) ([]event.Event, error) {
	c, refusals := c.Parsed()
	if err := refusals.Err(); err != nil {
		return nil, err
	}
	if err := p.Known(); err != nil {
		return nil, err
	}
	return []event.Event{ContactDetailsSet{id, c.Telephone, c.Email, c.NHSNumber}}, nil
}

// Import registers a patient with their contact details (rules 1 and 4), or refuses all
// invalid details together.
func (p Patient) Import(id ID, name, birthDate string, c Contact, now time.Time) ([]event.Event, error) {
	registered, err := p.Register(id, name, birthDate, now)
	if c == (Contact{}) {
		return registered, err
	}
	_, refusals := c.Parsed()
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		refusals = append(fault.List{refusal}, refusals...)
	}
	if err := refusals.Err(); err != nil {
		return nil, err
	}
	contact, err := event.Fold[Patient](registered...).SetContactDetails(id, c)
	return append(registered, contact...), err
}

// Parsed returns the details as they are stored, and a refusal for each invalid one.
func (c Contact) Parsed() (Contact, fault.List) {
	var refusals fault.List
	check := func(text *string, parse func(string) (string, bool), refusal *fault.Error) {
		trimmed := strings.TrimSpace(*text)
		stored, ok := parse(trimmed)
		if trimmed != "" && !ok {
			refusals = append(refusals, refusal)
		}
		*text = stored
	}
	check(&c.Telephone, parseTelephone, ErrInvalidTelephone)
	check(&c.Email, parseEmail, ErrInvalidEmail)
	check(&c.NHSNumber, ParseNHSNumber, ErrInvalidNHSNumber)
	return c, refusals
}

// The bounds of details. An E.164 number has at most 15 digits.
const (
	leastDigits = 5
	mostDigits  = 15
	mostEmail   = 254
)

// parseTelephone returns a telephone number with single spaces. Brackets, hyphens, points and
// slashes become spaces.
func parseTelephone(text string) (string, bool) {
	digits := 0
	spaced := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			digits++
			return r
		case r == '+':
			return r
		case unicode.IsSpace(r) || strings.ContainsRune("()-./\u2010\u2011\u2013", r):
			return ' '
		}
		return utf8.RuneError // no character of a number
	}, text)
	plain := strings.Join(strings.Fields(spaced), " ")
	return plain, !strings.ContainsRune(plain, utf8.RuneError) && digits >= leastDigits && digits <= mostDigits && strings.LastIndexByte(plain, '+') <= 0
}

// parseEmail returns an address of RFC 5322 without a display name.
func parseEmail(text string) (string, bool) {
	address, err := mail.ParseAddress(text)
	return text, err == nil && address.Address == text && address.Name == "" && len(text) <= mostEmail
}

// ParseNHSNumber returns the 10 digits of an NHS number without spaces and hyphens. It is not ok
// if the check digit differs (modulus 11), or if it is not a number.
func ParseNHSNumber(text string) (digits string, ok bool) {
	digits = strings.NewReplacer(" ", "", "-", "").Replace(text)
	if len(digits) != 10 {
		return digits, false
	}
	sum := 0
	for n, r := range digits {
		if r < '0' || r > '9' {
			return digits, false
		}
		if n < 9 {
			sum += (10 - n) * int(r-'0')
		}
	}
	check := (11 - sum%11) % 11
	return digits, check != 10 && check == int(digits[9]-'0')
}
