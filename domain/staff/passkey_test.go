package staff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var phone = staff.PasskeyAdded{
	Passkey: staff.PasskeyID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}, Name: "My phone",
	Credential: []byte{1, 2, 3}, PublicKey: []byte{4, 5, 6}, BackupEligible: true, SignCount: 7,
	AAGUID: uuid.MustParse("01020304-0506-0708-0102-030405060708"), Transports: []string{"internal"},
}

// noRule is the rule of a practice whose roles need no passkey.
var noRule = event.Fold[staff.PasskeyRule](ruleOf())

func TestStaffMayHaveTenPasskeys_D66(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	add := func(m staff.Member) ([]event.Event, error) { return m.AddPasskey(passwordSet.Credential, phone) }
	ten := []event.Event{drLee, passwordSet}
	for n := range 10 {
		ten = append(ten, staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.UUID{15: byte(n)}}})
	}

	given(drLee, passwordSet).When(add).Then(t, phone)
	given(ten[:11]...).When(add).Then(t, phone)
	given(ten...).When(add).Refuses(t, staff.ErrTooManyPasskeys)
	given(append(ten, staff.PasskeyRemoved{})...).When(add).Then(t, phone)
	given(append(ten, staff.Reset{Link: link}, passwordSet)...).When(add).Then(t, phone)
	given(append(ten, staff.Deactivated{}, staff.Reactivated{}, passwordSet)...).When(add).Then(t, phone)

	given(drLee).When(add).Refuses(t, staff.ErrPasswordEnded)
	given(drLee, passwordSet, staff.Reset{Link: link}).When(add).Refuses(t, staff.ErrPasswordEnded) // an earlier session
	given(drLee, passwordSet, staff.Reset{Link: link}, staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.UUID{1}}}).
		When(add).Refuses(t, staff.ErrPasswordEnded)
	given(drLee, passwordSet, staff.Deactivated{}).When(add).Refuses(t, staff.ErrUnknown)
	given().When(add).Refuses(t, staff.ErrUnknown)
}

func TestAPasskeyHasAName_D66(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"My phone": "My phone", "  Schlüssel ": "Schlüssel", strings.Repeat("ü", 64): strings.Repeat("ü", 64),
		"": "", "  ": "", strings.Repeat("a", 65): "", "a\nb": "", "\xff": "", "a\u202eb": "",
	} {
		outcome := eventtest.Given[staff.Member](drLee, passwordSet).When(func(m staff.Member) ([]event.Event, error) {
			return m.AddPasskey(passwordSet.Credential, staff.PasskeyAdded{Name: name})
		})
		if want == "" {
			outcome.Refuses(t, staff.ErrPasskeyName)
			continue
		}
		outcome.Then(t, staff.PasskeyAdded{Name: want})
	}
}

func TestAPasskeyIsRemovedOnce_D66(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	remove := func(m staff.Member) ([]event.Event, error) { return m.RemovePasskey(phone.Passkey, noRule) }
	gone := staff.PasskeyRemoved{Passkey: phone.Passkey}

	given(drLee, passwordSet, phone).When(remove).Then(t, gone)
	given(drLee, passwordSet, phone, gone).When(remove).Then(t)
	given(drLee, passwordSet, phone, staff.Reset{Link: link}).When(remove).Then(t)
	given(drLee, passwordSet, phone, staff.Deactivated{}, staff.Reactivated{}).When(remove).Then(t)
	given(drLee, passwordSet, staff.PasskeyAdded{}).When(remove).Then(t)
	given(drLee, passwordSet, phone, staff.Deactivated{}).When(remove).Refuses(t, staff.ErrUnknown)
}

// Two decisions on one state must not see each other's passkeys.
func TestStatesShareNoPasskeys(t *testing.T) {
	t.Parallel()
	begun := event.Fold[staff.Member](drLee, passwordSet, phone)
	for n := range 3 {
		added := staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.UUID{15: byte(n)}}}
		one, other := begun.Apply(added), begun.Apply(staff.PasskeyRemoved{Passkey: phone.Passkey})
		if events, err := one.RemovePasskey(added.Passkey, noRule); len(events) != 1 || err != nil {
			t.Errorf("%s: got %v, %v", fmt.Sprint(n), events, err)
		}
		if events, err := other.RemovePasskey(phone.Passkey, noRule); len(events) != 0 || err != nil {
			t.Errorf("removed twice: %v, %v", events, err)
		}
	}
}
