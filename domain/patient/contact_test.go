package patient_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

func setContact(c patient.Contact) func(patient.Patient) ([]event.Event, error) {
	return func(p patient.Patient) ([]event.Event, error) { return p.SetContactDetails(ann, c) }
}

func TestContactDetailsAreSetAsAWhole_D148(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[patient.Patient]
	set := patient.ContactDetailsSet{Patient: ann, Telephone: "+44 20 7946 0958", Email: "ann@example.org", NHSNumber: "9434765919"}

	given(registered).When(setContact(patient.Contact{Telephone: " +44 (20) 7946-0958 ", Email: " ann@example.org ", NHSNumber: "943 476-5919"})).Then(t, set)
	given(registered, set).When(setContact(set.Contact())).Then(t, set)
	given(registered, set).When(setContact(patient.Contact{Email: "ann@example.org"})).Then(t, patient.ContactDetailsSet{Patient: ann, Email: "ann@example.org"})
	given(registered, set).When(setContact(patient.Contact{Telephone: " "})).Then(t, patient.ContactDetailsSet{Patient: ann})
	given().When(setContact(set.Contact())).Refuses(t, patient.ErrUnknown)
}

func TestContactDetailsAreChecked_D148(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		contact patient.Contact
		want    *fault.Error // nil if it is accepted
	}{
		"a short number":      {patient.Contact{Telephone: "12345"}, nil},
		"a number of 15":      {patient.Contact{Telephone: "+123456789012345"}, nil},
		"too short":           {patient.Contact{Telephone: "1234"}, patient.ErrInvalidTelephone},
		"too long":            {patient.Contact{Telephone: "1234567890123456"}, patient.ErrInvalidTelephone},
		"letters":             {patient.Contact{Telephone: "020 7946 EXT"}, patient.ErrInvalidTelephone},
		"a plus inside":       {patient.Contact{Telephone: "020+79460958"}, patient.ErrInvalidTelephone},
		"two pluses":          {patient.Contact{Telephone: "++2079460958"}, patient.ErrInvalidTelephone},
		"markup":              {patient.Contact{Telephone: "<b>2079460958"}, patient.ErrInvalidTelephone},
		"an address":          {patient.Contact{Email: "a.b+c@sub.example.org"}, nil},
		"no at sign":          {patient.Contact{Email: "ann.example.org"}, patient.ErrInvalidEmail},
		"two addresses":       {patient.Contact{Email: "a@example.org, b@example.org"}, patient.ErrInvalidEmail},
		"a display name":      {patient.Contact{Email: "Ann <ann@example.org>"}, patient.ErrInvalidEmail},
		"a line break":        {patient.Contact{Email: "ann@example.org\r\nBcc: x@example.org"}, patient.ErrInvalidEmail},
		"a long address":      {patient.Contact{Email: strings.Repeat("a", 243) + "@example.org"}, patient.ErrInvalidEmail},
		"an NHS number":       {patient.Contact{NHSNumber: "9434765919"}, nil},
		"a check digit of 0":  {patient.Contact{NHSNumber: "9434765870"}, nil},
		"another check digit": {patient.Contact{NHSNumber: "9434765918"}, patient.ErrInvalidNHSNumber},
		"swapped digits":      {patient.Contact{NHSNumber: "9343765919"}, patient.ErrInvalidNHSNumber},
		"nine digits":         {patient.Contact{NHSNumber: "943476591"}, patient.ErrInvalidNHSNumber},
		"other digits":        {patient.Contact{NHSNumber: "٩٤٣٤٧٦٥٩١٩"}, patient.ErrInvalidNHSNumber},
	} {
		_, err := setContact(test.contact)(event.Fold[patient.Patient](registered))
		if test.want == nil && err != nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	_, err := setContact(patient.Contact{Telephone: "x", Email: "x", NHSNumber: "x"})(event.Fold[patient.Patient](registered))
	if all, _ := errors.AsType[fault.List](err); len(all) != 3 {
		t.Errorf("three faults are %v", err)
	}
}

// Numbers of which the check digit would be 10 are not issued.
func TestNHSNumbersOfCheckTenAreNone_D148(t *testing.T) {
	t.Parallel()
	valid := 0
	for last := range 10 {
		if _, ok := patient.ParseNHSNumber("943476592" + string(rune('0'+last))); ok {
			valid++
		}
	}
	if valid > 1 {
		t.Errorf("%d numbers of one beginning are valid", valid)
	}
	none := 0
	for begin := range 100 {
		begins, found := "9434765"+string(rune('0'+begin/10))+string(rune('0'+begin%10)), false
		for last := range 10 {
			_, ok := patient.ParseNHSNumber(begins + string(rune('0'+last)))
			found = found || ok
		}
		if !found {
			none++
		}
	}
	if none == 0 || none > 20 {
		t.Errorf("%d of 100 beginnings have no valid number", none)
	}
}
