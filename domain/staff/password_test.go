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

func TestOnlyAnActiveMemberOfStaffGetsAPassword(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Member]
	set := func(m staff.Member) ([]event.Event, error) { return m.SetPassword(passwordSet) }

	given(drLee).When(set).Then(t, passwordSet)
	given(drLee, passwordSet).When(set).Then(t, passwordSet)
	given().When(set).Refuses(t, staff.ErrUnknown)
	given(drLee, staff.Deactivated{}).When(set).Refuses(t, staff.ErrUnknown)
}

func TestAPasswordIsChangedOnlyWhileTheOldOneCounts(t *testing.T) {
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

// Passwords that were set before have no digest, and keep their shape.
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
	for _, c := range []struct {
		password string
		want     error
	}{
		{"coffee tin fish", nil},
		{"éééééééé", nil},
		{strings.Repeat("é", 256), nil},
		{" spaces are kept ", nil},
		{"1234567", staff.ErrPasswordShort},
		{"ééééééé", staff.ErrPasswordShort},
		{"", staff.ErrPasswordShort},
		{strings.Repeat("é", 257), staff.ErrPasswordLong},
		{"dr.lee.jones", staff.ErrPasswordGuessed},
		{"Dr.Lee.Jones", staff.ErrPasswordGuessed},
		{"two\nlines of text", staff.ErrPasswordText},
		{"half a character \xff", staff.ErrPasswordText},
		{"with a zero \x00 byte", staff.ErrPasswordText},
	} {
		if err := staff.CheckPassword("dr.lee.jones", c.password); !errors.Is(err, c.want) {
			t.Errorf("%q: got %v, want %v", c.password, err, c.want)
		}
	}
}
