package commands_test

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/staff"
)

var errAway = errors.New("the database is away")

// outage is every dependency of a desk, of which one call fails.
type outage struct {
	*commandtest.Store
	passwords
	*vault
	left int // calls until the one that fails; below 0 after it
}

// next reports the failure of the call that it counts.
func (o *outage) next() error {
	if o.left--; o.left == -1 {
		return errAway
	}
	return nil
}

// answer returns the store's answer, or the failure.
func answer[T any](o *outage, ask func() (T, error)) (T, error) {
	if err := o.next(); err != nil {
		return *new(T), err
	}
	return ask()
}

func (o *outage) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	return answer(o, func() ([]event.Event, error) { return o.Store.Load(ctx, stream) })
}

func (o *outage) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	return answer(o, func() ([]event.Recorded, error) { return o.Store.Append(ctx, changes...) })
}

func (o *outage) PatientExists(ctx context.Context, tenant string, id patient.ID) (bool, error) {
	return answer(o, func() (bool, error) { return o.Store.PatientExists(ctx, tenant, id) })
}

func (o *outage) StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error) {
	return answer(o, func() (staff.ID, error) { return o.Store.StaffByUsername(ctx, tenant, username) })
}

func (o *outage) AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error) {
	return answer(o, func() (staff.ID, error) { return o.Store.AnyStaffByUsername(ctx, tenant, username) })
}

func (o *outage) NamesOf(ctx context.Context, tenant string, member staff.ID) (username, name string, err error) {
	if err := o.next(); err != nil {
		return "", "", err
	}
	return o.Store.NamesOf(ctx, tenant, member)
}

func (o *outage) AuthorisationsOf(ctx context.Context, tenant string, member staff.ID, now time.Time) ([]authorisation.Subject, error) {
	return answer(o, func() ([]authorisation.Subject, error) { return o.Store.AuthorisationsOf(ctx, tenant, member, now) })
}

func (o *outage) HadPassword(ctx context.Context, tenant string) (bool, error) {
	return answer(o, func() (bool, error) { return o.Store.HadPassword(ctx, tenant) })
}

func (o *outage) Holder(ctx context.Context, tenant string, link event.Digest, now time.Time) (commands.LinkHolder, error) {
	return answer(o, func() (commands.LinkHolder, error) { return o.Store.Holder(ctx, tenant, link, now) })
}

func (o *outage) Receptions(ctx context.Context, tenant string) (practice.Receptions, error) {
	return answer(o, func() (practice.Receptions, error) { return o.Store.Receptions(ctx, tenant) })
}

func (o *outage) AccountOf(ctx context.Context, tenant string, member uuid.UUID) (staff.Account, error) {
	return answer(o, func() (staff.Account, error) { return o.Store.AccountOf(ctx, tenant, member) })
}

func (o *outage) ExtentOf(ctx context.Context, who erasure.Person) (commands.Extent, error) {
	return answer(o, func() (commands.Extent, error) { return o.Store.ExtentOf(ctx, who) })
}

func (o *outage) PractitionerKnownBy(ctx context.Context, tenant, email string) (practitioner.ID, error) {
	return answer(o, func() (practitioner.ID, error) { return o.Store.PractitionerKnownBy(ctx, tenant, email) })
}

func (o *outage) Erase(ctx context.Context, who erasure.Person, also []string, change func([]erasure.Key) (event.Change, error)) ([]event.Recorded, error) {
	return answer(o, func() ([]event.Recorded, error) { return o.Store.Erase(ctx, who, also, change) })
}

func (o *outage) Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.PasswordSet, error) {
	return answer(o, func() (staff.PasswordSet, error) { return o.passwords.Keep(ctx, tenant, member, password) })
}

func (o *outage) Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error {
	return cmp.Or(o.next(), o.passwords.Discard(ctx, tenant, member, but))
}

func (o *outage) Check(ctx context.Context, kid signingkey.KID) error {
	return cmp.Or(o.next(), o.vault.Check(ctx, kid))
}

func (o *outage) Sweep(ctx context.Context) error { return cmp.Or(o.next(), o.vault.Sweep(ctx)) }

func (o *outage) Create(ctx context.Context) (signingkey.PublicKey, error) {
	return answer(o, func() (signingkey.PublicKey, error) { return o.vault.Create(ctx) })
}

// An intent returns an error if one of its queries, or the append, fails.
func TestPortErrorsReachTheCaller(t *testing.T) {
	t.Parallel()
	for intent := range reflect.TypeFor[commands.Desk]().Methods() {
		t.Run(intent.Name, func(t *testing.T) {
			t.Parallel()
			for n := 0; ; n++ {
				w := newTown(t)
				o := &outage{Store: w.Store, passwords: passwords{}, vault: &vault{kept: map[signingkey.KID]bool{}}, left: n}
				w.desk.Store, w.desk.Patients, w.desk.Staff, w.desk.Links, w.desk.Receptions, w.desk.Erasures = o, o, o, o, o, o
				w.desk.Passwords, w.desk.Vault = o, o
				var err error
				if intent.Type.NumIn() == 3 {
					err = w.attempt(t, intent.Name, func(reflect.Value, []reflect.Value) {})
				} else { // it takes only a context
					answers := reflect.ValueOf(w.desk).MethodByName(intent.Name).Call([]reflect.Value{reflect.ValueOf(t.Context())})
					err, _ = reflect.TypeAssert[error](answers[len(answers)-1])
				}
				if o.left >= 0 {
					if n == 0 {
						t.Error("it asks for nothing")
					}
					return
				}
				if !errors.Is(err, errAway) {
					t.Errorf("error = %v after call %d failed, want %v", err, n, errAway)
				}
			}
		})
	}
}
