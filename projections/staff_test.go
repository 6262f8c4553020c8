package projections_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var registeredLee = staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Administrator: true}

func TestAMemberOfStaffIsARow_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	const row = `{"tenant": "elm-street", "staff": "0190c7a2-0000-7000-8000-0000000000b1", "username": "dr.lee", "name": "Dr Lee",
		"email": "lee@elm.example", "administrator": true, "active": `
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.wantTable(t, "staff", row+`true}`)
	d.Happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	d.wantTable(t, "staff", row+`false}`)
}

// The digest is that of the current password; a password without one has none.
func TestTheDigestOfAHashIsInTheRow_D56(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	for _, c := range []struct {
		digest event.Digest
		want   any
	}{{event.Digest{}, nil}, {event.Digest{1, 2}, "0102" + strings.Repeat("00", 30)}, {event.Digest{}, nil}} {
		set := staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}, Digest: c.digest}
		d.Happens(t, staff.StreamOf(elm, lee), set)
		var credential staff.CredentialID
		var digest any
		err := d.Pool.QueryRow(t.Context(), `SELECT credential, encode(password_digest, 'hex') FROM staff WHERE staff = $1`, lee).Scan(&credential, &digest)
		if err != nil || credential != set.Credential || digest != c.want {
			t.Errorf("got %s with %v, %v, want %v", credential, digest, err, c.want)
		}
	}
}

func TestAUsernameIsTakenOnceInAPractice_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.refuses(t, staff.ErrUsernameTaken, staff.StreamOf(elm, kim), registeredLee)
	d.Happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	d.refuses(t, staff.ErrUsernameTaken, staff.StreamOf(elm, kim), registeredLee) // a former member keeps it: old events name them

	other := registeredLee
	other.Username = "Dr.Lee"
	d.Happens(t, staff.StreamOf(elm, kim), other)
	d.Happens(t, staff.StreamOf(oak, staff.ID{UUID: uuid.New()}), registeredLee)
}

func TestOnlyActiveStaffAreFound_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	people := projections.Staff{DB: d.Pool}
	type finder func(ctx context.Context, tenant, username string) (staff.ID, error)
	find := func(by finder, tenant, username string, want staff.ID, refusal error) {
		t.Helper()
		if got, err := by(t.Context(), tenant, username); got != want || !errors.Is(err, refusal) {
			t.Errorf("%s of %s is %s, %v", username, tenant, got, err)
		}
	}
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.Happens(t, staff.StreamOf(oak, kim), registeredLee)
	for _, by := range []finder{people.StaffByUsername, people.AnyStaffByUsername} {
		find(by, elm, "dr.lee", lee, nil)
		find(by, oak, "dr.lee", kim, nil)
		find(by, elm, "Dr.Lee", staff.ID{}, staff.ErrUnknown)
		find(by, "nobody", "dr.lee", staff.ID{}, staff.ErrUnknown)
	}
	d.Happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	find(people.StaffByUsername, elm, "dr.lee", staff.ID{}, staff.ErrUnknown)
	find(people.StaffByUsername, elm, "\xff", staff.ID{}, staff.ErrUnknown) // the database rejects such a text
	find(people.StaffByUsername, elm, "dr.\x00", staff.ID{}, staff.ErrUnknown)
	find(people.StaffByUsername, oak, "dr.lee", kim, nil)
	find(people.AnyStaffByUsername, elm, "dr.lee", lee, nil)
	if username, name, err := people.NamesOf(t.Context(), elm, lee); err != nil || username != "dr.lee" || name != "Dr Lee" {
		t.Errorf("%s, %s, %v", username, name, err)
	}
	if _, _, err := people.NamesOf(t.Context(), oak, lee); !errors.Is(err, staff.ErrUnknown) {
		t.Errorf("another practice's: %v", err)
	}
}

// A link's row has the values of the last link's event, until it has ended.
func TestOnlyTheNewestLinkOfAMemberIsKept_D64(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	member := staff.StreamOf(elm, lee)
	first, second := staff.Link{Digest: event.Digest{1}, ExpiresAt: d.At}, staff.Link{Digest: event.Digest{2}, ExpiresAt: d.At}
	links := func(want ...event.Digest) {
		t.Helper()
		rows, _ := d.Pool.Query(t.Context(), `SELECT link FROM staff_links WHERE staff = $1`, lee)
		got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (digest event.Digest, err error) {
			var link []byte
			err = row.Scan(&link)
			copy(digest[:], link)
			return digest, err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("links %v, %v, want %v", got, err, want)
		}
	}
	d.Happens(t, member, registeredLee, staff.Invited{Link: first})
	links(first.Digest)
	d.Happens(t, member, staff.Invited{Link: second})
	links(second.Digest)
	d.Happens(t, member, staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.New()}, Link: second.Digest})
	links()
	d.Happens(t, member, staff.Reset{Link: first})
	links(first.Digest)
	var credential *uuid.UUID
	if err := d.Pool.QueryRow(t.Context(), `SELECT credential FROM staff WHERE staff = $1`, lee).Scan(&credential); err != nil || credential != nil {
		t.Errorf("after a reset the password is %v, %v", credential, err)
	}
	d.Happens(t, member, staff.Deactivated{})
	links()
}

func TestRolesOfStaff_D63(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	roles := func(want ...staff.Role) {
		t.Helper()
		var got staff.Roles
		var administrator bool
		err := d.Pool.QueryRow(t.Context(), `SELECT `+projections.RolesOfStaff+`, administrator FROM staff s WHERE staff = $1`, lee).
			Scan(&got, &administrator)
		if err != nil || !slices.Equal(got, staff.Roles(want)) || administrator != got.Has(staff.Manager) {
			t.Errorf("roles %v, administrator %t, %v, want %v", got, administrator, err, want)
		}
	}
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	roles(staff.Manager) // from administrator
	d.Happens(t, staff.StreamOf(elm, lee), staff.RolesSet{Roles: staff.Roles{staff.Clinician}})
	roles(staff.Clinician)
	d.Happens(t, staff.StreamOf(elm, lee), staff.RolesSet{Roles: staff.Roles{staff.Clinician, staff.Manager}})
	roles(staff.Clinician, staff.Manager)
	d.Happens(t, staff.StreamOf(elm, lee), staff.RolesSet{Roles: staff.Roles{}})
	roles()
}

// passkey is one of a practice, with a credential that is unique there.
func passkey(tenant string, n byte) staff.PasskeyAdded {
	return staff.PasskeyAdded{
		Passkey: staff.PasskeyID{UUID: event.DerivedID("test-passkey", tenant+string('0'+rune(n)))}, Name: "My phone",
		Credential: []byte{n}, PublicKey: []byte{2}, SignCount: 3, Transports: []string{"usb", "nfc"},
	}
}

func TestPasskeysLastUntilRemoved_D66(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	has := func(want int) {
		t.Helper()
		var n int
		if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_passkeys WHERE tenant = $1 AND staff = $2`, elm, lee).Scan(&n); err != nil || n != want {
			t.Errorf("%d passkeys, %v, want %d", n, err, want)
		}
	}
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee, passkey(elm, 1), passkey(elm, 2))
	d.Happens(t, staff.StreamOf(oak, staff.ID{UUID: uuid.New()}), registeredLee, passkey(oak, 1))
	has(2)
	other := registeredLee
	other.Username = "dr.kim"
	copied := passkey(elm, 3)
	copied.Credential = passkey(elm, 1).Credential
	d.refuses(t, staff.ErrPasskeyTaken, staff.StreamOf(elm, kim), other, copied)
	for _, ends := range []event.Event{staff.Reset{}, staff.Reactivated{}} {
		d.Happens(t, staff.StreamOf(elm, lee), ends)
		has(0)
		d.Happens(t, staff.StreamOf(elm, lee), passkey(elm, 1), passkey(elm, 2), staff.PasskeyRemoved{Passkey: passkey(elm, 1).Passkey})
		has(1)
	}
}

// A username is unique, also in a replay that begins with the events of staff who were
// erased later.
func TestErasedStaffUsernamesAreUnique_D68(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	for _, id := range []staff.ID{lee, kim} {
		d.Happens(t, staff.StreamOf(elm, id), staff.Registered{Username: event.Erased, Name: event.Erased, Email: event.Erased})
		if got, err := (projections.Staff{DB: d.Pool}).UsernameOf(t.Context(), elm, id); err != nil || got != "[erased] "+id.String() {
			t.Errorf("the username is %q, error %v", got, err)
		}
	}
}

// A restored backup may bring back a person who had not left when it was made.
func TestErasedStaffAreInactive_D71(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	d.Happens(t, staff.StreamOf(elm, lee), staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"}, staff.Erased{Done: erasure.Done{Basis: erasure.Restored, Keys: []erasure.Key{{Kind: event.OfStaff, Holder: lee.UUID}}}})
	people, err := projections.People{DB: d.Pool}.List(t.Context(), elm)
	if err != nil || len(people) != 1 || people[0].Active || people[0].Name != event.Erased {
		t.Errorf("%+v, error %v", people, err)
	}
}

// All staff of a practice, as each of their events leaves them, and none of another
// practice.
func TestPeopleOfAPractice_D64(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	member := staff.StreamOf(elm, lee)
	link := staff.Link{Digest: event.Digest{1}, ExpiresAt: noon.Add(staff.LinkLifetime)}
	want := projections.Person{Staff: lee, Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Roles: staff.Roles{staff.Manager}, Active: true}
	becomes := func(event string, change func(*projections.Person)) {
		t.Helper()
		change(&want)
		got, err := projections.People{DB: d.Pool}.List(t.Context(), elm)
		if diff := cmp.Diff([]projections.Person{want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", event, err, diff)
		}
	}
	d.Happens(t, staff.StreamOf(oak, kim), registeredLee)
	d.Happens(t, member, registeredLee)
	becomes("registered", func(*projections.Person) {})
	d.Happens(t, member, staff.RolesSet{Roles: staff.Roles{staff.Clinician}}, staff.Invited{Link: link})
	becomes("invited", func(p *projections.Person) { p.Roles, p.LinkUntil = staff.Roles{staff.Clinician}, link.ExpiresAt })
	d.Happens(t, member, staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}, Link: link.Digest})
	becomes("signs in", func(p *projections.Person) { p.SignsIn, p.LinkUntil = true, time.Time{} })
	d.Happens(t, member, staff.Reset{Link: link})
	becomes("reset", func(p *projections.Person) { p.SignsIn, p.LinkUntil = false, link.ExpiresAt })
	d.Happens(t, member, staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}}, staff.Deactivated{})
	becomes("left", func(p *projections.Person) { p.Active, p.LinkUntil = false, time.Time{} })
	d.Happens(t, member, staff.Reactivated{}, staff.Invited{Link: link})
	becomes("back", func(p *projections.Person) { p.Active, p.LinkUntil = true, link.ExpiresAt })
}

func TestFormerStaffAreListedLast(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	for _, username := range []string{"b", "c", "a"} {
		d.Happens(t, event.Stream{Tenant: elm, ID: event.DerivedID("test", username)}, staff.Registered{Username: username, Name: username, Email: "a@b.example"})
	}
	d.Happens(t, event.Stream{Tenant: elm, ID: event.DerivedID("test", "a")}, staff.Deactivated{})
	people, err := projections.People{DB: d.Pool}.List(t.Context(), elm)
	var got []string
	for _, p := range people {
		got = append(got, p.Username)
	}
	if diff := cmp.Diff([]string{"b", "c", "a"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestTheHolderOfALink_D64(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	link := staff.Link{Digest: event.Digest{1}, ExpiresAt: noon.Add(time.Hour)}
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee, staff.Invited{Link: link})
	d.Happens(t, staff.StreamOf(oak, kim), registeredLee)
	find := func(tenant string, digest event.Digest, now time.Time, want commands.LinkHolder, refusal error) {
		t.Helper()
		got, err := projections.Links{DB: d.Pool}.Holder(t.Context(), tenant, digest, now)
		if got != want || !errors.Is(err, refusal) {
			t.Errorf("at %v: %+v, %v", now, got, err)
		}
	}
	holder := commands.LinkHolder{Staff: lee, Username: "dr.lee", Name: "Dr Lee"}
	last := link.ExpiresAt.Add(-time.Microsecond)
	find(elm, link.Digest, last, holder, nil)
	find(elm, link.Digest, link.ExpiresAt, commands.LinkHolder{}, staff.ErrLink)
	find(oak, link.Digest, last, commands.LinkHolder{}, staff.ErrLink)
	find(elm, event.Digest{2}, last, commands.LinkHolder{}, staff.ErrLink)
	d.Happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	find(elm, link.Digest, last, commands.LinkHolder{}, staff.ErrLink)
}
