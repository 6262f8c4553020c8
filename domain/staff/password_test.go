package staff_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

var passwordSet = staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}}

func TestOnlyActiveStaffGetPasswords(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	set := func(m staff.Member) ([]event.Event, error) { return m.SetPassword(passwordSet) }

	given(drLee).When(set).Then(t, passwordSet)
	given(drLee, passwordSet).When(set).Then(t, passwordSet)
	given().When(set).Refuses(t, staff.ErrUnknown)
	given(drLee, staff.Deactivated{}).When(set).Refuses(t, staff.ErrUnknown)
}

func TestPasswordChangeNeedsCurrentOne(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	next := staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c2")}}
	change := func(m staff.Member) ([]event.Event, error) { return m.ChangePassword(passwordSet.Credential, next) }

	given(drLee, passwordSet).When(change).Then(t, next)
	given(drLee, passwordSet, next).When(change).Refuses(t, staff.ErrPasswordEnded)
	given(drLee, passwordSet, staff.Reset{Link: link}).When(change).Refuses(t, staff.ErrPasswordEnded)
	given(drLee, passwordSet, staff.Deactivated{}, staff.Reactivated{}).When(change).Refuses(t, staff.ErrPasswordEnded)
	given(drLee).When(change).Refuses(t, staff.ErrPasswordEnded)
}

// Older passwords have no digest, and keep their shape.
func TestTheDigestOfAHashIsAnOptionalMember_D56(t *testing.T) {
	t.Parallel()
	codec, err := event.NewCodec(staff.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	const credential = `{"credential":"0190c7a2-0000-7000-8000-0000000000c1"`
	bound := passwordSet
	bound.Digest = event.Digest(sha256.Sum256([]byte("abc")))
	for want, e := range map[string]staff.PasswordSet{
		credential + `}`: passwordSet,
		credential + `,"digest":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}`: bound,
	} {
		name, data, err := codec.Encode(e)
		if err != nil || string(data) != want {
			t.Errorf("stored as %s, %v, want %s", data, err, want)
		}
		if back, err := codec.Decode(name, data); err != nil || back != event.Event(e) {
			t.Errorf("read back as %+v, %v", back, err)
		}
	}
}

func TestAPasswordIsFit_D27(t *testing.T) {
	t.Parallel()
	known := staff.Known{Username: "dr.lee.jones", Name: "Dr Anna Lee-Jones", Tenant: "elm-street", Practice: "The Surgery at Élm"}
	for _, c := range []struct {
		password string
		want     error
	}{
		{"coffee tin fish", nil},
		{"éàüöß éàüöß", nil},
		{strings.Repeat("éàüöß ", 42) + "éàüö", nil},
		{" spaces are kept ", nil},
		{"123456789", staff.ErrPasswordShort},
		{"ééééééééé", staff.ErrPasswordShort},
		{"", staff.ErrPasswordShort},
		{strings.Repeat("éàüöß ", 42) + "éàüöß", staff.ErrPasswordLong},
		{"two\nlines of text", staff.ErrPasswordText},
		{"half a character \xff", staff.ErrPasswordText},
		{"with a zero \x00 byte", staff.ErrPasswordText},

		{"1234567890", staff.ErrPasswordCommon},
		{"0987654321", staff.ErrPasswordCommon},
		{"Password123", staff.ErrPasswordCommon},
		{"QWERTYUIOP", staff.ErrPasswordCommon},
		{"Aaaaaaaaaa", staff.ErrPasswordCommon},
		{"0123456789", staff.ErrPasswordCommon},
		{"ABCDEFghijkl", staff.ErrPasswordCommon},
		{"1212121212", staff.ErrPasswordCommon},
		{"abcdabcdabcd", staff.ErrPasswordCommon},
		{"abcdeabcde", staff.ErrPasswordGuessed},
		{"password123 of my cat", nil},
		{"4826173950", staff.ErrPasswordGuessed}, // a telephone number, for example
		{"4826 1739 5026 8413", nil},

		{"dr.lee.jones", staff.ErrPasswordGuessed},
		{"Dr.Lee.Jones", staff.ErrPasswordGuessed},
		{"DrLeeJones2026!", staff.ErrPasswordGuessed},
		{"annaleejones", staff.ErrPasswordGuessed},
		{"Jones, Anna (1)", staff.ErrPasswordGuessed},
		{"anna1234567", staff.ErrPasswordGuessed},
		{"elm-street", staff.ErrPasswordGuessed},
		{"2026Elm2026Street", staff.ErrPasswordGuessed},
		{"The Surgery at Élm", staff.ErrPasswordGuessed},
		{"THESURGERYATÉLM99", staff.ErrPasswordGuessed},
		{"anna likes cats", nil},
		{"drannaleejonesx", staff.ErrPasswordGuessed},
		{"drannaleejones xylophone", nil},
	} {
		if err := staff.CheckPassword(c.password, known); !errors.Is(err, c.want) {
			t.Errorf("%q: got %v, want %v", c.password, err, c.want)
		}
	}
	for _, username := range []string{"1234.567.8901", "12345678901"} { // without words
		if err := staff.CheckPassword(username, staff.Known{Username: username}); !errors.Is(err, staff.ErrPasswordGuessed) {
			t.Errorf("the username %q: got %v, want %v", username, err, staff.ErrPasswordGuessed)
		}
	}
	if err := staff.CheckPassword("coffee tin fish", staff.Known{}); err != nil {
		t.Errorf("of whom nothing is known: %v", err)
	}
}
